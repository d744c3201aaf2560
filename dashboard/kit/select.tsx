import { Combobox as Base } from '@base-ui/react/combobox';
import { Select as BaseSelect } from '@base-ui/react/select';
import { Check, ChevronDown, X } from 'lucide-react';
import { type ClipboardEvent, type RefCallback, useMemo, useState } from 'react';
import { kitText } from '../text/kit.ts';
import { useText } from '../text/text.tsx';
import { chipClass, chipRemoveClass, cx, inputClass, optionClass, popupClass } from './classes.ts';
import { useField } from './field.tsx';
import { grouped, type Option, search } from './options.ts';

export type { Option } from './options.ts';

/** The number of lines that are drawn; the rest is found by typing. */
const SHOWN_OPTIONS = 100;

interface Common {
  /** Required outside of a `Field`. */
  readonly label?: string;
  readonly placeholder?: string;
  readonly isDisabled?: boolean;
  readonly onBlur?: () => void;
  /** The element to focus, for a form that shows its first error. */
  readonly ref?: RefCallback<HTMLElement>;
  readonly className?: string;
}

export interface SelectProps<Value extends string> extends Common {
  /** Undefined while nothing is chosen. */
  readonly value: Value | undefined;
  readonly onChange: (value: Value) => void;
  readonly options: readonly Option<Value>[];
  readonly size?: 'small' | 'normal';
}

/** A choice of a few values. With more than about twenty a `Combobox` is quicker. */
export function Select<Value extends string>(props: SelectProps<Value>) {
  const { value, onChange, options, label, placeholder, isDisabled, onBlur, ref, className, size = 'normal' } = props;
  const text = useText(kitText);
  const { isRequired } = useField();
  const chosen = options.find((option) => option.value === value);
  return (
    <BaseSelect.Root
      value={value ?? null}
      onValueChange={(next) => next !== null && onChange(next)}
      onOpenChange={(isOpen) => isOpen || onBlur?.()}
      disabled={isDisabled}
      modal={false}
    >
      <BaseSelect.Trigger
        ref={ref}
        {...(label !== undefined && { 'aria-label': label })}
        aria-required={isRequired || undefined}
        className={cx(
          inputClass,
          'flex items-center justify-between gap-2 text-left',
          size === 'small' && 'min-h-7',
          className,
        )}
      >
        <span className={cx('min-w-0 truncate', value === undefined && 'text-soft')}>
          {chosen?.label ?? value ?? placeholder ?? text.select}
        </span>
        <ChevronDown aria-hidden className="size-4 shrink-0 text-soft" />
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner
          sideOffset={4}
          alignItemWithTrigger={false}
          collisionPadding={8}
          className="z-50 outline-none"
        >
          <BaseSelect.Popup className={cx(popupClass, 'min-w-(--anchor-width) max-w-[min(28rem,calc(100vw-1rem))]')}>
            <BaseSelect.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1">
              {grouped(options).map(([group, members]) => (
                <BaseSelect.Group key={group}>
                  {group !== '' && <BaseSelect.GroupLabel className={GROUP}>{group}</BaseSelect.GroupLabel>}
                  {members.map((option) => (
                    <BaseSelect.Item
                      key={option.value}
                      value={option.value}
                      label={option.label}
                      disabled={option.isDisabled}
                      className={cx(optionClass, 'justify-between')}
                    >
                      <OptionText option={option} />
                      <BaseSelect.ItemIndicator className="shrink-0">
                        <Check aria-hidden className="size-4 text-accent" />
                      </BaseSelect.ItemIndicator>
                    </BaseSelect.Item>
                  ))}
                </BaseSelect.Group>
              ))}
            </BaseSelect.List>
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
  );
}

const GROUP = 'px-2 pt-2 pb-1 font-medium text-soft text-xs';

function OptionText({ option }: { readonly option: Option }) {
  return (
    <span className="min-w-0">
      <span className="block break-words">{option.label}</span>
      {option.detail !== undefined && <span className="block break-words text-soft text-xs">{option.detail}</span>}
    </span>
  );
}

interface Searchable extends Common {
  readonly options: readonly Option[];
  /** Called with the typed text if the server searches; `options` are then shown unfiltered. */
  readonly onSearch?: (query: string) => void;
  /** Whether a typed value outside of the options is allowed. */
  readonly isFree?: boolean;
}

/** Returns the options that a search field shows for the typed text. */
function useSearch({ options, onSearch, isFree = false }: Searchable, chosen: readonly string[]) {
  const [query, setQuery] = useState('');
  const byValue = useMemo(() => new Map(options.map((option) => [option.value, option])), [options]);
  const labelOf = (value: string) => byValue.get(value)?.label ?? value;
  const found = useMemo(
    () =>
      search(
        options,
        onSearch ? '' : query,
        ({ label, value, detail = '', group = '' }) => `${label} ${value} ${detail} ${group}`,
        SHOWN_OPTIONS,
      ),
    [options, onSearch, query],
  );
  const values = found.shown.map(({ value }) => value);
  const typed = query.trim();
  if (isFree && typed !== '' && !byValue.has(typed) && !chosen.includes(typed)) values.push(typed);
  const onQuery = (next: string) => {
    setQuery(next);
    onSearch?.(next);
  };
  return { query, onQuery, byValue, labelOf, values, left: found.left };
}

export interface ComboboxProps extends Searchable {
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A choice of many values, found by typing. */
export function Combobox(props: ComboboxProps) {
  const { value, onChange, label, placeholder, isDisabled, onBlur, ref, className } = props;
  const text = useText(kitText);
  const { isRequired } = useField();
  const { query, onQuery, labelOf, ...found } = useSearch(props, []);
  return (
    <Base.Root<string>
      items={found.values}
      filteredItems={found.values}
      value={value ?? null}
      onValueChange={(next) => onChange(next ?? undefined)}
      itemToStringLabel={labelOf}
      // The label of the chosen value is not a query: all options are shown then.
      onInputValueChange={(next, { reason }) => onQuery(reason === 'input-change' ? next : '')}
      disabled={isDisabled}
      autoHighlight
    >
      <Base.InputGroup className={cx('relative', className)}>
        <Base.Input
          ref={ref}
          placeholder={placeholder ?? text.search}
          onBlur={onBlur}
          aria-required={isRequired || undefined}
          {...(label !== undefined && { 'aria-label': label })}
          className={cx(inputClass, 'pr-15')}
        />
        <span className="absolute inset-y-0.5 right-0.5 flex items-center">
          <Base.Clear aria-label={text.clear} className={INNER_BUTTON}>
            <X aria-hidden className="size-4" />
          </Base.Clear>
          <Base.Trigger aria-label={text.select} className={INNER_BUTTON}>
            <ChevronDown aria-hidden className="size-4" />
          </Base.Trigger>
        </span>
      </Base.InputGroup>
      <SearchPopup {...found} labelOf={labelOf} />
    </Base.Root>
  );
}

const INNER_BUTTON = 'flex size-7 items-center justify-center rounded-sm text-soft hover:text-text';

interface SearchPopupProps {
  readonly values: readonly string[];
  readonly byValue: ReadonlyMap<string, Option>;
  readonly labelOf: (value: string) => string;
  readonly left: number;
}

function SearchPopup({ byValue, labelOf, left }: SearchPopupProps) {
  const text = useText(kitText);
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} collisionPadding={8} className="z-50 outline-none">
        <Base.Popup className={cx(popupClass, 'w-(--anchor-width) min-w-60 max-w-[calc(100vw-1rem)]')}>
          <Base.Empty className="empty:hidden px-3 py-3 text-soft text-sm">{text.noMatches}</Base.Empty>
          <Base.List className="max-h-[min(22rem,var(--available-height))] overflow-y-auto p-1 data-empty:p-0">
            {(value: string) => (
              <Base.Item
                key={value}
                value={value}
                disabled={byValue.get(value)?.isDisabled}
                className={cx(optionClass, 'justify-between')}
              >
                <OptionText option={byValue.get(value) ?? { value, label: labelOf(value) }} />
                <Base.ItemIndicator className="shrink-0">
                  <Check aria-hidden className="size-4 text-accent" />
                </Base.ItemIndicator>
              </Base.Item>
            )}
          </Base.List>
          <Base.Status className="empty:hidden border-line border-t px-3 py-1.5 text-soft text-xs">
            {left > 0 ? text.moreOptions(left) : ''}
          </Base.Status>
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

export interface MultiSelectProps extends Searchable {
  readonly value: readonly string[];
  readonly onChange: (value: string[]) => void;
}

/** Separates free texts, of which a list may be pasted. */
const SEPARATORS = /[\n,]+/;

/** Ways in which the suggestions close that end a free text. Others choose a suggestion, or discard the text. */
const ENDS_TEXT: ReadonlySet<string> = new Set(['focus-out', 'outside-press', 'none']);

/** A choice of several among many values: chips, and a search for more. Free texts end with a comma, Enter or leaving the field. */
export function MultiSelect(props: MultiSelectProps) {
  const { value, onChange, label, placeholder, isDisabled, onBlur, ref, className, isFree = false } = props;
  const text = useText(kitText);
  const { isRequired } = useField();
  const { query, onQuery, labelOf, ...found } = useSearch(props, value);
  const add = (texts: string) => {
    const added = texts.split(SEPARATORS).map((one) => one.trim());
    const next = [...new Set([...value, ...added.filter(Boolean)])];
    onQuery('');
    if (next.length !== value.length) onChange(next);
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text');
    if (!SEPARATORS.test(pasted)) return;
    event.preventDefault();
    add(query + pasted);
  };
  const onInput = (next: string) => (isFree && SEPARATORS.test(next) ? add(next) : onQuery(next));
  return (
    <Base.Root<string, true>
      multiple
      items={found.values}
      filteredItems={found.values}
      value={[...value]}
      onValueChange={onChange}
      inputValue={query}
      onInputValueChange={onInput}
      onOpenChange={(_, { reason }) => {
        // The text of the field is cleared next.
        if (isFree && ENDS_TEXT.has(reason)) add(query);
      }}
      itemToStringLabel={labelOf}
      disabled={isDisabled}
      autoHighlight
    >
      <Base.InputGroup className={className}>
        <Base.Chips
          className={cx(
            inputClass,
            'flex flex-wrap items-center gap-1 px-1 has-focus-visible:outline-2 has-focus-visible:outline-accent',
          )}
        >
          {value.map((one) => (
            <Base.Chip key={one} aria-label={labelOf(one)} className={chipClass}>
              <span className="min-w-0 truncate">{labelOf(one)}</span>
              <Base.ChipRemove aria-label={text.remove(labelOf(one))} className={chipRemoveClass}>
                <X aria-hidden className="size-3.5" />
              </Base.ChipRemove>
            </Base.Chip>
          ))}
          <Base.Input
            ref={ref}
            placeholder={value.length === 0 ? (placeholder ?? text.search) : ''}
            onBlur={() => {
              if (isFree) add(query);
              onBlur?.();
            }}
            {...(isFree && { onPaste })}
            aria-required={isRequired || undefined}
            {...(label !== undefined && { 'aria-label': label })}
            className="min-h-6 min-w-16 flex-1 bg-transparent outline-none placeholder:text-soft"
          />
        </Base.Chips>
      </Base.InputGroup>
      <SearchPopup {...found} labelOf={labelOf} />
    </Base.Root>
  );
}
