import { cx } from '../../kit/classes.ts';
import { Select } from '../../kit/select.tsx';
import { isShown, useWidth } from '../../kit/width.ts';
import { settingsText } from '../../text/settings.ts';
import { useText } from '../../text/text.tsx';

export interface IndexEntry {
  readonly id: string;
  readonly label: string;
  /** The number of changes that wait for a restart. */
  readonly pending: number;
}

interface SectionIndexProps {
  readonly entries: readonly IndexEntry[];
  readonly current: string;
  readonly onGo: (id: string) => void;
}

/** The groups of the list: beside it, or a menu above it if the window is narrow. */
export function SectionIndex({ entries, current, onGo }: SectionIndexProps) {
  const text = useText(settingsText);
  if (!isShown('lg', useWidth()))
    return (
      <Select
        label={text.jumpTo}
        placeholder={text.jumpTo}
        value={current === '' ? undefined : current}
        onChange={onGo}
        options={entries.map(({ id, label }) => ({ value: id, label }))}
      />
    );
  return (
    <nav aria-label={text.index} className="sticky top-20 max-h-[calc(100dvh-6rem)] overflow-y-auto">
      <ul className="flex flex-col gap-0.5">
        {entries.map(({ id, label, pending }) => (
          <li key={id}>
            <button
              type="button"
              aria-current={id === current || undefined}
              onClick={() => onGo(id)}
              className={cx(
                'flex min-h-8 w-full items-center gap-2 rounded-md px-2.5 text-start text-sm focus-visible:outline-offset-[-2px]',
                id === current
                  ? 'bg-accent-ground font-medium text-accent'
                  : 'text-soft hover:bg-hover hover:text-text',
              )}
            >
              <span className="min-w-0 flex-1 truncate">{label}</span>
              {pending > 0 && (
                <span
                  className="rounded-full bg-warn-ground px-1.5 text-warn text-xs"
                  title={text.waitingCount(pending)}
                >
                  {pending}
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
