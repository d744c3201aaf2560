import { type ReactNode, useId } from 'react';
import { cx } from './classes.ts';
import type { Tone } from './status.tsx';

export interface PanelProps {
  readonly title?: ReactNode;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
  /** Without padding, for a table. */
  readonly isFlush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page, with a second-level heading. */
export function Panel({ title, description, actions, isFlush = false, className, children }: PanelProps) {
  const titleId = useId();
  const hasTitle = title !== undefined;
  return (
    <section
      className={cx('min-w-0 rounded-lg border border-line bg-panel', className)}
      {...(hasTitle && { 'aria-labelledby': titleId })}
    >
      {(hasTitle || actions !== undefined) && (
        <header
          className={cx('flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 pt-3', isFlush && 'pb-3')}
        >
          <div className="min-w-0">
            {hasTitle && (
              <h2 id={titleId} className="font-semibold">
                {title}
              </h2>
            )}
            {description !== undefined && <p className="text-soft text-sm">{description}</p>}
          </div>
          {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={isFlush ? '' : 'p-4 empty:p-0 empty:pb-3'}>{children}</div>
    </section>
  );
}

const CHANGES: Readonly<Record<Tone, string>> = {
  neutral: 'text-soft',
  good: 'text-good',
  warn: 'text-warn',
  bad: 'text-bad',
  accent: 'text-accent',
};

export interface StatProps {
  readonly label: ReactNode;
  readonly value: ReactNode;
  readonly change?: { readonly text: string; readonly tone: Tone };
  readonly hint?: ReactNode;
  readonly size?: keyof typeof STAT_SIZES;
}

const STAT_SIZES = { small: 'text-base', normal: 'text-lg sm:text-xl', large: 'text-xl sm:text-3xl' } as const;

/** One number, within a `StatRow`. */
export function Stat({ label, value, change, hint, size = 'normal' }: StatProps) {
  return (
    <div className="flex min-w-0 flex-col rounded-lg border border-line bg-panel px-3 py-3 sm:px-4">
      <dt className="text-soft text-sm">{label}</dt>
      <dd className={cx('numbers break-words font-semibold', STAT_SIZES[size])}>{value}</dd>
      {change && <dd className={cx('numbers text-sm', CHANGES[change.tone])}>{change.text}</dd>}
      {hint !== undefined && <dd className="text-soft text-xs">{hint}</dd>}
    </div>
  );
}

interface StatRowProps {
  readonly children: ReactNode;
  /** Makes eight numbers two rows of four, rather than a row of six and a rest. */
  readonly isInFours?: boolean;
}

export function StatRow({ children, isInFours = false }: StatRowProps) {
  const columns = isInFours
    ? 'grid-cols-2 lg:grid-cols-4'
    : // On a phone an odd one has a row of its own.
      'grid-cols-2 max-sm:[&>:last-child:nth-child(odd)]:col-span-2 sm:grid-cols-[repeat(auto-fit,minmax(8.5rem,1fr))]';
  return <dl className={cx('grid gap-3', columns)}>{children}</dl>;
}

export interface Definition {
  readonly term: ReactNode;
  readonly value: ReactNode;
}

/** Names and values, one per line. */
export function Definitions({ items }: { readonly items: readonly Definition[] }) {
  return (
    <dl className="text-sm">
      {items.map(({ term, value }, index) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no state and no other name
          key={index}
          className="grid gap-x-4 border-line border-b py-1.5 last:border-b-0 sm:grid-cols-[minmax(8rem,14rem)_1fr]"
        >
          <dt className="text-soft">{term}</dt>
          <dd className="min-w-0 break-words [&_time]:whitespace-normal">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
