interface SparklineProps {
  /** One value per interval, oldest first. */
  readonly values: readonly number[];
  /** The part of each value that went wrong. */
  readonly bad: readonly number[];
  /** A description of the bars for screen readers and the tooltip. */
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 22;
/** A value that is not zero stays visible beside a much larger one. */
const LEAST_HEIGHT = 1.5;

/** Small bars without axes, for a row of a list. */
export function Sparkline({ values, bad, label }: SparklineProps) {
  const most = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length);
  const tall = (value: number) => (value <= 0 ? 0 : Math.max(LEAST_HEIGHT, (value / most) * HEIGHT));
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="block h-5.5 w-24 max-w-full"
    >
      <title>{label}</title>
      <line x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} stroke="var(--line)" />
      {values.map((value, place) => {
        const [height, failed] = [tall(value), Math.min(tall(value), tall(bad[place] ?? 0))];
        const bar = { x: place * step + step * 0.15, width: step * 0.7 };
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an interval has no other name
          <g key={place}>
            <rect {...bar} y={HEIGHT - height} height={height} fill="var(--series-0)" />
            {failed > 0 && <rect {...bar} y={HEIGHT - failed} height={failed} fill="var(--bad)" />}
          </g>
        );
      })}
    </svg>
  );
}
