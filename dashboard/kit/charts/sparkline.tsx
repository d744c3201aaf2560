export interface SparklineProps {
  readonly values: readonly (number | null)[];
  /** What it shows, in words: nobody can read numbers from it. */
  readonly label: string;
}

const WIDTH = 96;
const HEIGHT = 24;

/** The course of a number, as small as a word. */
export function Sparkline({ values, label }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const low = Math.min(0, ...known);
  const span = Math.max(0, ...known) - low || 1;
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  const path = values
    .map((value, index) => {
      if (value === null) return '';
      const y = HEIGHT - 1 - ((value - low) / span) * (HEIGHT - 2);
      const isFirst = index === 0 || values[index - 1] === null;
      return `${isFirst ? 'M' : 'L'}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-6 w-24 text-series-0"
    >
      <path d={path} fill="none" stroke="currentColor" strokeWidth={1.5} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}
