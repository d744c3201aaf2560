import { Plus, X } from 'lucide-react';
import { type KeyboardEvent, useMemo, useState } from 'react';
import type { ChannelProbe } from '../../../api/schema.ts';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Checkbox } from '../../../kit/choice.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { useFormat } from '../../../kit/format.tsx';
import { search } from '../../../kit/options.ts';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm, ModelRow } from './form-values.ts';

export type Offered = ChannelProbe['models'][number];

/** The number of lines that are drawn; the others are found by typing. */
const SHOWN = 100;

interface ModelsFieldProps {
  readonly form: ChannelForm;
  /** The provider's models, as far as they have been read. */
  readonly offered: readonly Offered[];
}

/** The models that a channel serves, with their names. */
export function ModelsField({ form, offered }: ModelsFieldProps) {
  const text = useText(channelFormText);
  const rows = form.watch('models');
  form.register('models', { validate: (models) => problemOf(models, text) ?? true });
  const change = (models: ModelRow[]) => {
    form.setValue('models', models, { shouldDirty: true });
    form.clearErrors('models');
  };
  const renamed = rows.filter(({ id, upstream }) => id !== upstream).length;
  const error = form.errorOf('models');
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="mb-1 font-medium text-sm">{text.models(rows.length)}</legend>
      <Checklist rows={rows} offered={offered} onChange={change} />
      <OtherModel rows={rows} onChange={change} />
      {rows.length > 0 && (
        <Disclosure
          title={text.names(renamed)}
          mustShow={rows.some(({ id }) => id.trim() === '') && error !== undefined}
        >
          <Names rows={rows} onChange={change} />
        </Disclosure>
      )}
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {error}
      </p>
    </fieldset>
  );
}

type Words = (typeof channelFormText)['en'];

function problemOf(models: readonly ModelRow[], text: Words): string | undefined {
  const ids = models.map(({ id }) => id.trim());
  if (ids.length === 0) return text.noModels;
  if (ids.includes('') || models.some(({ upstream }) => upstream.trim() === '')) return text.emptyName;
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  return twice === undefined ? undefined : text.twice(twice);
}

interface RowsProps {
  readonly rows: readonly ModelRow[];
  readonly onChange: (rows: ModelRow[]) => void;
}

function Checklist({ rows, offered, onChange }: RowsProps & { readonly offered: readonly Offered[] }) {
  const text = useText(channelFormText);
  const [query, setQuery] = useState('');
  const chosen = new Set(rows.map(({ upstream }) => upstream));
  const lines = useLines(rows, offered);
  const found = search(lines, query, ({ id, about }) => `${id} ${about?.name ?? ''} ${about?.category ?? ''}`, SHOWN);
  const matching = query === '' ? lines : search(lines, query, ({ id }) => id, lines.length).shown;
  const add = (ids: readonly string[]) => {
    const missing = ids.filter((id) => !chosen.has(id));
    onChange([...rows, ...missing.map((id) => ({ id, upstream: id }))]);
  };
  const remove = (ids: ReadonlySet<string>) => onChange(rows.filter(({ upstream }) => !ids.has(upstream)));
  if (lines.length === 0) return <p className="text-soft text-sm">{text.testFirst}</p>;
  return (
    <div className="overflow-hidden rounded-lg border border-strong-line">
      <div className="flex flex-wrap items-center gap-2 border-line border-b bg-sunken p-2">
        <span className="min-w-40 flex-1">
          <Field label={text.findModel} isLabelHidden>
            <TextInput
              type="search"
              placeholder={text.findModel}
              value={query}
              onChange={(event) => setQuery(event.currentTarget.value)}
              onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
            />
          </Field>
        </span>
        <Button size="small" onClick={() => add(matching.map(({ id }) => id))}>
          {text.chooseAll(matching.length)}
        </Button>
        <Button size="small" onClick={() => remove(new Set(matching.map(({ id }) => id)))}>
          {text.chooseNone}
        </Button>
      </div>
      <div className="max-h-72 overflow-y-auto p-2">
        {found.shown.map(({ id, about }) => (
          <ModelLine
            key={id}
            id={id}
            about={about}
            isChosen={chosen.has(id)}
            onChange={(isChosen) => (isChosen ? add([id]) : remove(new Set([id])))}
          />
        ))}
        {found.left > 0 && <p className="px-2 py-1 text-soft text-xs">{text.more(found.left)}</p>}
      </div>
    </div>
  );
}

interface Line {
  readonly id: string;
  readonly about: Offered | undefined;
}

/** Returns the served models that are not offered, followed by the offered ones. */
function useLines(rows: readonly ModelRow[], offered: readonly Offered[]): readonly Line[] {
  return useMemo(() => {
    const known = new Set(offered.map(({ id }) => id));
    const own = [...new Set(rows.map(({ upstream }) => upstream))].filter((id) => !known.has(id));
    return [...own.map((id) => ({ id, about: undefined })), ...offered.map((about) => ({ id: about.id, about }))];
  }, [rows, offered]);
}

interface ModelLineProps extends Line {
  readonly isChosen: boolean;
  readonly onChange: (isChosen: boolean) => void;
}

function ModelLine({ id, about, isChosen, onChange }: ModelLineProps) {
  const text = useText(channelFormText);
  const format = useFormat();
  const facts = about && [
    text.categories[about.category],
    ...(about.context_tokens === null ? [] : [text.context(format.compact(about.context_tokens))]),
    ...(about.known ? [] : [text.unknown]),
    ...(about.priced ? [] : [text.unpriced]),
  ];
  return (
    <Checkbox
      className="w-full"
      label={<span className="break-all font-mono text-xs">{id}</span>}
      {...(facts && { detail: facts.join(' · ') })}
      checked={isChosen}
      onCheckedChange={onChange}
    />
  );
}

function OtherModel({ rows, onChange }: RowsProps) {
  const text = useText(channelFormText);
  const [typed, setTyped] = useState('');
  const add = () => {
    const id = typed.trim();
    if (id !== '' && !rows.some(({ upstream }) => upstream === id)) onChange([...rows, { id, upstream: id }]);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    add();
  };
  return (
    <div className="flex items-end gap-2">
      <Field label={text.otherModel} help={text.otherModelHelp} className="flex-1">
        <TextInput
          isCode
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </Field>
      <Button icon={Plus} className="mb-5" onClick={add}>
        {text.addModel}
      </Button>
    </div>
  );
}

function Names({ rows, onChange }: RowsProps) {
  const text = useText(channelFormText);
  const set = (at: number, row: ModelRow) => onChange(rows.toSpliced(at, 1, row));
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft text-xs">{text.namesAbout}</p>
      {rows.map((row, at) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other name while its names are typed
          key={at}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-2 sm:grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <TextInput
            isCode
            aria-label={text.publicName(row.upstream)}
            value={row.id}
            onChange={(event) => set(at, { ...row, id: event.currentTarget.value })}
          />
          <TextInput
            isCode
            aria-label={text.upstreamName(row.id)}
            value={row.upstream}
            className="max-sm:col-start-1"
            onChange={(event) => set(at, { ...row, upstream: event.currentTarget.value })}
          />
          <IconButton
            icon={X}
            label={text.removeName(row.id)}
            className="max-sm:col-start-2 max-sm:row-start-1"
            onClick={() => onChange(rows.toSpliced(at, 1))}
          />
        </div>
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() => onChange([...rows, { id: '', upstream: '' }])}
      >
        {text.addName}
      </Button>
    </div>
  );
}
