"use strict";
// Shows one level of removal after the other: moves the points of the picture, and writes the numbers into the table.
(function () {
  const data = JSON.parse(document.getElementById("levels").textContent);
  const slider = document.getElementById("removal");
  function show() {
    const level = Number(slider.value);
    data.curves.forEach(function (curve, k) {
      const row = curve.rows[level], point = document.getElementById("point" + k);
      point.setAttribute("cx", row.x);
      point.setAttribute("cy", row.y);
      row.cells.forEach(function (text, j) {
        document.getElementById("cell" + k + "-" + j).textContent = text;
      });
    });
    const said = data.curves[0].rows[level].removal;
    document.getElementById("removed").textContent = said;
    slider.setAttribute("aria-valuetext", said + " removed");
  }
  slider.disabled = false;
  slider.addEventListener("input", show);
  show();
})();
