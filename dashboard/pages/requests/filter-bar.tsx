import { CornerDownRight, ListFilter, X } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, IconButton } from '../../kit/button.tsx';
import { PeriodPicker } from '../../kit/date.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Popover } from '../../kit/popover.tsx';
import { Combobox, MultiSelect, Select } from '../../kit/select.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { ModelFilter } from '../shared/model-filter.tsx';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { useChannelNames } from './channel-names.ts';
import { ERROR_CODES } from './error-codes.ts';
import { FILTERS, type Filter, type FiltersInUse } from './filters.ts';

interface FilterBarProps {
  readonly filters: FiltersInUse;
  readonly onJump: (id: string) => void;
}

export function FilterBar({ filters, onJump }: FilterBarProps) {
  const text = useText(requestsText);
  const { filters: values, set, period, choosePeriod } = filters;
  const statuses = (['2xx', '4xx', '5xx'] as const).map((value) => ({ value, label: text.statuses[value] }));
  const find = (id: string) => {
    const filter = filterFor(id);
    if (filter === null) onJump(id);
    else set({ [filter]: id });
  };
  const isOther = values.status !== '' && !statuses.some(({ value }) => value === values.status);
  return (
    <div className="mb-3 flex flex-col gap-2">
      <div className="flex flex-wrap items-start gap-2">
        <PeriodPicker value={period} onChange={choosePeriod} />
        <div className="w-44 max-sm:min-w-34 max-sm:flex-1">
          <Select
            label={text.status}
            value={values.status === '' ? 'any' : values.status}
            onChange={(status) => set({ status: status === 'any' ? '' : status })}
            options={[
              { value: 'any', label: text.anyStatus },
              ...statuses,
              ...(isOther ? [{ value: values.status, label: values.status }] : []),
            ]}
          />
        </div>
        <ModelFilter
          label={text.model}
          anyModel={text.anyModel}
          value={values.model}
          onChange={(model) => set({ model })}
        />
        <MoreFilters filters={filters} />
        <Jump onJump={find} />
      </div>
      <Chips filters={filters} />
    </div>
  );
}

/** Returns the filter that finds an id; `null` for the gateway's own id of a request. */
function filterFor(id: string): Filter | null {
  if (/^req_[0-9a-f-]{36}$/.test(id)) return null;
  return /^[0-9a-f]{32}$/i.test(id) ? 'trace_id' : 'client_request_id';
}

function Jump({ onJump }: { readonly onJump: (id: string) => void }) {
  const text = useText(requestsText);
  const [typed, setTyped] = useState('');
  const jump = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === '') return;
    onJump(typed.trim());
    setTyped('');
  };
  return (
    <form className="flex min-w-0 items-start gap-1 max-sm:w-full sm:ms-auto" onSubmit={jump}>
      <Field label={text.jump} isLabelHidden className="max-sm:flex-1 sm:w-48">
        <TextInput isCode placeholder={text.jump} value={typed} onChange={(event) => setTyped(event.target.value)} />
      </Field>
      <IconButton type="submit" label={text.jumpNow} icon={CornerDownRight} />
    </form>
  );
}

/** The filters in the popover; the others are always visible. */
const MORE = [
  'key',
  'channel',
  'upstream_key',
  'error_code',
  'tag',
  'batch',
  'client_request_id',
  'trace_id',
  'stream',
  'cached',
  'min_latency_ms',
  'min_cost_usd',
] as const;

function MoreFilters({ filters }: Pick<FilterBarProps, 'filters'>) {
  const text = useText(requestsText);
  const [isOpen, setOpen] = useState(false);
  const count = MORE.filter((name) => filters.filters[name] !== '').length;
  return (
    <Popover
      label={text.moreFilters}
      trigger={<Button icon={ListFilter}>{count === 0 ? text.moreFilters : `${text.moreFilters} (${count})`}</Button>}
      isOpen={isOpen}
      onOpenChange={setOpen}
    >
      <MoreForm filters={filters} onDone={() => setOpen(false)} />
    </Popover>
  );
}

type More = (typeof MORE)[number];

function MoreForm({
  filters: { filters, set },
  onDone,
}: Pick<FilterBarProps, 'filters'> & { readonly onDone: () => void }) {
  const text = useText(requestsText);
  const [draft, setDraft] = useState<Partial<Record<More, string>>>({});
  const shownOf = (name: More) => draft[name] ?? filters[name];
  const put = (name: More) => (value: string) => setDraft((before) => ({ ...before, [name]: value.trim() }));
  const apply = (event: FormEvent) => {
    event.preventDefault();
    set(draft);
    onDone();
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={apply}>
      <KeyFilter value={shownOf('key')} onChange={put('key')} />
      <ChannelFilter value={shownOf('channel')} onChange={put('channel')} />
      <Field label={text.filters.upstream_key}>
        <TextInput
          isCode
          defaultValue={filters.upstream_key}
          onChange={(event) => put('upstream_key')(event.target.value)}
        />
      </Field>
      <CodeFilter value={shownOf('error_code')} onChange={put('error_code')} />
      <Field label={text.filters.tag}>
        <TextInput
          isCode
          placeholder="team=search"
          defaultValue={filters.tag}
          onChange={(event) => put('tag')(event.target.value)}
        />
      </Field>
      {(['batch', 'client_request_id', 'trace_id'] as const).map((name) => (
        <Field key={name} label={text.filters[name]}>
          <TextInput isCode defaultValue={filters[name]} onChange={(event) => put(name)(event.target.value)} />
        </Field>
      ))}
      <YesNo label={text.filters.stream} value={shownOf('stream')} onChange={put('stream')} />
      <YesNo label={text.filters.cached} value={shownOf('cached')} onChange={put('cached')} />
      <div className="grid grid-cols-2 gap-3">
        <Field label={text.filters.min_latency_ms}>
          <NumberInput
            isWhole
            unit="ms"
            defaultValue={filters.min_latency_ms}
            onChange={(event) => put('min_latency_ms')(event.target.value)}
          />
        </Field>
        <Field label={text.filters.min_cost_usd}>
          <NumberInput
            prefix="$"
            defaultValue={filters.min_cost_usd}
            onChange={(event) => put('min_cost_usd')(event.target.value)}
          />
        </Field>
      </div>
      <Button type="submit" variant="primary" className="self-end">
        {text.apply}
      </Button>
    </form>
  );
}

interface OneFilterProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function KeyFilter({ value, onChange }: OneFilterProps) {
  const text = useText(requestsText);
  const names = useKeyNames();
  const options = [...names].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) }));
  return (
    <Field label={text.filters.key}>
      <Combobox
        value={value === '' ? undefined : value}
        onChange={(key) => onChange(key ?? '')}
        options={options}
        placeholder={text.any}
        isFree
      />
    </Field>
  );
}

/** Several values of a filter are separated by commas. */
function valuesIn(value: string): string[] {
  return value.split(',').filter((one) => one !== '');
}

function ChannelFilter({ value, onChange }: OneFilterProps) {
  const text = useText(requestsText);
  const names = useChannelNames();
  const options = [...names].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) }));
  return (
    <Field label={text.filters.channel}>
      <MultiSelect
        value={valuesIn(value)}
        onChange={(channels) => onChange(channels.join(','))}
        options={options}
        placeholder={text.any}
        isFree
      />
    </Field>
  );
}

const CODES = ERROR_CODES.map((code) => ({ value: code, label: code }));

function CodeFilter({ value, onChange }: OneFilterProps) {
  const text = useText(requestsText);
  return (
    <Field label={text.filters.error_code}>
      <MultiSelect
        value={valuesIn(value)}
        onChange={(codes) => onChange(codes.join(','))}
        options={CODES}
        placeholder={text.any}
        isFree
      />
    </Field>
  );
}

function YesNo({ label, value, onChange }: OneFilterProps & { readonly label: string }) {
  const text = useText(requestsText);
  return (
    <Field label={label}>
      <Select
        value={value === '' ? 'any' : value}
        onChange={(chosen) => onChange(chosen === 'any' ? '' : chosen)}
        options={[
          { value: 'any', label: text.any },
          { value: 'true', label: text.yes },
          { value: 'false', label: text.no },
        ]}
      />
    </Field>
  );
}

function listed(values: readonly string[]): string {
  return values.join(', ');
}

/** The active filters, each removable. */
function Chips({ filters: { filters, set, count, clear } }: Pick<FilterBarProps, 'filters'>) {
  const text = useText(requestsText);
  const names = useKeyNames();
  const channels = useChannelNames(filters.channel !== '');
  if (count === 0) return null;
  const given = FILTERS.filter((name): name is Exclude<Filter, 'period'> => name !== 'period' && filters[name] !== '');
  const shown = (name: Filter): ReactNode => {
    const value = filters[name];
    if (name === 'key') return names.get(value) ?? value;
    if (name === 'channel') return listed(valuesIn(value).map((id) => channels.get(id) ?? id));
    if (name === 'error_code') return listed(valuesIn(value));
    if (name === 'stream' || name === 'cached') return value === 'true' ? text.yes : text.no;
    return value;
  };
  return (
    <ul aria-label={text.filteredBy} className="flex flex-wrap items-center gap-1.5 text-sm">
      {given.map((name) => (
        <li
          key={name}
          className="inline-flex min-h-7 max-w-full items-center gap-1 rounded-md bg-accent-ground ps-2 text-accent"
        >
          <span className="min-w-0 truncate">
            {text.filters[name]}: <span className="font-medium">{shown(name)}</span>
          </span>
          <IconButton
            size="small"
            icon={X}
            label={text.without(text.filters[name])}
            onClick={() => set({ [name]: '' })}
          />
        </li>
      ))}
      <li>
        <Button size="small" variant="quiet" onClick={clear}>
          {text.clearFilters}
        </Button>
      </li>
    </ul>
  );
}
