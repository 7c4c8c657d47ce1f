// curve.jsx - how many behaviours the schedules of pf check have shown: a curve that becomes flat when further
// schedules show nothing new.
const WIDTH = 320, HEIGHT = 80;

export function Curve({ points }) {
  if (!points || !points.length) return null;
  const [schedules, behaviours] = points[points.length - 1];
  const at = ([x, y]) => `${((x / (schedules || 1)) * WIDTH).toFixed(1)},${(HEIGHT - (y / (behaviours || 1)) * HEIGHT).toFixed(1)}`;
  return (
    <figure id="curve">
      <svg viewBox={`-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`} width={WIDTH} height={HEIGHT} role="img"
           aria-label={`${behaviours} behaviours after ${schedules} schedules`}>
        <path class="axis" d={`M0,0V${HEIGHT}H${WIDTH}`} />
        <polyline points={`0,${HEIGHT} ${points.map(at).join(' ')}`} />
      </svg>
      <figcaption>{behaviours} behaviours (a read that saw a write) in {schedules} schedules of batches</figcaption>
    </figure>
  );
}
