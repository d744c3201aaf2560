import type { ReactNode } from 'react';
import { TextLink } from '../button.tsx';

export interface BarListRow {
  readonly name: string;
  readonly value: number;
  /** Replaces the formatted value. */
  readonly text?: string;
  readonly detail?: ReactNode;
  /** The path of a page of the dashboard. */
  readonly href?: string;
  /** The query of its address. */
  readonly search?: Readonly<Record<string, string>>;
}

export interface BarListProps {
  readonly rows: readonly BarListRow[];
  readonly format: (value: number) => string;
}

/** Ranks values: each with its name, bar and number. */
export function BarList({ rows, format }: BarListProps) {
  const most = Math.max(0, ...rows.map(({ value }) => value));
  return (
    <ol className="flex flex-col gap-2 text-sm">
      {rows.map(({ name, value, text, detail, href, search }) => (
        <li key={`${name} ${JSON.stringify(search)}`} className="min-w-0">
          <div className="flex items-baseline justify-between gap-3">
            <span className="flex min-w-0 items-baseline gap-2" title={name}>
              {href === undefined ? (
                <span className="min-w-0 truncate">{name}</span>
              ) : (
                <TextLink to={href} search={search as never} className="min-w-0 truncate">
                  {name}
                </TextLink>
              )}
              {detail !== undefined && <span className="min-w-0 shrink-[4] truncate text-soft text-xs">{detail}</span>}
            </span>
            <span className="numbers shrink-0">{text ?? format(value)}</span>
          </div>
          <div aria-hidden className="mt-0.5 h-1.5 overflow-hidden rounded-full bg-hover">
            <div
              className="h-full rounded-full bg-series-0"
              style={{ width: `${most > 0 ? Math.max(0, value / most) * 100 : 0}%` }}
            />
          </div>
        </li>
      ))}
    </ol>
  );
}
