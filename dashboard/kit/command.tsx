import { Dialog as Base } from '@base-ui/react/dialog';
import { type LucideIcon, Search } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { cx, popupClass } from './classes.ts';
import { search } from './options.ts';

export interface Command {
  readonly label: string;
  readonly detail?: string;
  readonly icon?: LucideIcon;
  /** Further words by which it is found. */
  readonly keywords?: string;
  readonly run: () => void;
}

export interface CommandGroup {
  readonly title: string;
  readonly items: readonly Command[];
}

export interface CommandListProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly groups: readonly CommandGroup[];
  /** Called with the typed text, for results from the server. */
  readonly onQuery?: (query: string) => void;
  /** Whether more results are on their way. */
  readonly isSearching?: boolean;
  /** Why results may be missing. */
  readonly problem?: string;
}

const SHOWN_COMMANDS = 50;

/** A searchable list of all pages and actions. */
export function CommandList({ isOpen, onClose, ...list }: CommandListProps) {
  const text = useText(kitText);
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[rgb(10_15_22/0.5)]" />
        <Base.Popup
          aria-label={text.commandSearch}
          className={cx(
            popupClass,
            'fixed inset-x-3 top-[10dvh] z-40 mx-auto flex max-h-[75dvh] max-w-xl flex-col overflow-hidden',
          )}
        >
          <Finder {...list} onClose={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function useFound(groups: readonly CommandGroup[], query: string) {
  return useMemo(() => {
    const all = groups.flatMap(({ title, items }) => items.map((command) => ({ title, command })));
    const { shown } = search(
      all,
      query,
      ({ title, command: { label, detail = '', keywords = '' } }) => `${label} ${detail} ${keywords} ${title}`,
      SHOWN_COMMANDS,
    );
    const byTitle = Map.groupBy(shown, ({ title }) => title);
    return [...byTitle].map(([title, found]) => ({ title, items: found.map(({ command }) => command) }));
  }, [groups, query]);
}

function Finder({ groups, onClose, onQuery, isSearching = false, problem }: Omit<CommandListProps, 'isOpen'>) {
  const text = useText(kitText);
  const id = useId();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const found = useFound(groups, query);
  const flat = found.flatMap(({ items }) => items);
  const current = Math.min(active, flat.length - 1);
  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const steps: Readonly<Record<string, number>> = { ArrowDown: current + 1, ArrowUp: current - 1 };
    const next = steps[event.key];
    if (next !== undefined) {
      event.preventDefault();
      if (flat.length > 0) setActive((next + flat.length) % flat.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(flat[current]);
    }
  };
  return (
    <>
      <div className="flex items-center gap-2 border-line border-b px-3">
        <Search aria-hidden className="size-4 shrink-0 text-soft" />
        <input
          type="text"
          role="combobox"
          autoComplete="off"
          spellCheck={false}
          aria-label={text.commandSearch}
          aria-expanded={flat.length > 0}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          aria-activedescendant={flat.length > 0 ? `${id}${current}` : undefined}
          placeholder={text.commandSearch}
          value={query}
          onKeyDown={onKeyDown}
          onChange={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
            onQuery?.(event.currentTarget.value);
          }}
          className="min-h-12 w-full min-w-0 bg-transparent text-[16px] outline-none placeholder:text-soft"
        />
      </div>
      <span role="status" className="sr-only">
        {isSearching ? text.searching : text.resultCount(flat.length)}
      </span>
      {flat.length === 0 && (
        <p aria-hidden className="px-4 py-6 text-center text-soft text-sm">
          {isSearching ? text.searching : text.noMatches}
        </p>
      )}
      <Results id={id} found={found} current={current} onPoint={setActive} onRun={run} />
      {problem !== undefined && (
        <p role="alert" className="border-line border-t px-3 py-1.5 text-bad text-xs">
          {problem}
        </p>
      )}
      <p aria-hidden className="border-line border-t px-3 py-1.5 text-soft text-xs max-sm:hidden">
        {text.commandHint}
      </p>
    </>
  );
}

interface ResultsProps {
  readonly id: string;
  readonly found: readonly CommandGroup[];
  readonly current: number;
  readonly onPoint: (index: number) => void;
  readonly onRun: (command: Command) => void;
}

function Results({ id, found, current, onPoint, onRun }: ResultsProps) {
  const text = useText(kitText);
  const list = useRef<HTMLDivElement>(null);
  const flat = found.flatMap(({ items }) => items);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${current}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <div
      ref={list}
      id={`${id}list`}
      role="listbox"
      aria-label={text.commandSearch}
      className="min-h-0 overflow-y-auto p-1.5 empty:hidden"
    >
      {found.map(({ title, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot stand in a list box
        <div key={title} role="group" aria-label={title}>
          <div aria-hidden className="px-2 pt-2 pb-1 font-medium text-soft text-xs">
            {title}
          </div>
          {items.map((command) => {
            const index = flat.indexOf(command);
            return (
              <Line
                key={index}
                id={`${id}${index}`}
                index={index}
                command={command}
                isActive={index === current}
                onPoint={() => onPoint(index)}
                onRun={() => onRun(command)}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

interface LineProps {
  readonly id: string;
  readonly index: number;
  readonly command: Command;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onRun: () => void;
}

function Line({ id, index, command: { icon: Icon, label, detail }, isActive, onPoint, onRun }: LineProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus stays in the search field, which has the keys
    <div
      id={id}
      data-index={index}
      role="option"
      aria-selected={isActive}
      onPointerMove={onPoint}
      onClick={onRun}
      className={cx(
        'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 text-sm select-none',
        isActive && 'bg-accent-ground text-accent',
      )}
    >
      {Icon && <Icon aria-hidden className="size-4 shrink-0" />}
      <span className="min-w-0 flex-1 truncate">{label}</span>
      {detail !== undefined && (
        <span className={cx('max-w-1/2 truncate text-xs', !isActive && 'text-soft')}>{detail}</span>
      )}
    </div>
  );
}
