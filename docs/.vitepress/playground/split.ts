// Lets the user drag the bars between panes. Sizes are CSS variables of the grid.

export function draggable(grid: HTMLElement): void {
  for (const bar of grid.querySelectorAll<HTMLElement>("[data-split]"))
    bar.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      bar.setPointerCapture(event.pointerId);
      const isX = bar.dataset["split"] === "x";
      const move = ({ clientX, clientY }: PointerEvent): void => {
        const { left, top, width, height } = grid.getBoundingClientRect();
        const share = isX ? (clientX - left) / width : (clientY - top) / height;
        const percent = `${(100 * Math.min(0.85, Math.max(0.15, share))).toFixed(1)}%`;
        grid.style.setProperty(isX ? "--pg-left" : "--pg-top", percent);
      };
      bar.addEventListener("pointermove", move);
      bar.addEventListener(
        "lostpointercapture",
        () => bar.removeEventListener("pointermove", move),
        { once: true },
      );
    });
}
