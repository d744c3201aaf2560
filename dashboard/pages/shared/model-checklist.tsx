import { useState } from 'react';
import type { ChannelProbe } from '../../api/schema.ts';
import { Button } from '../../kit/button.tsx';
import { Checkbox } from '../../kit/choice.tsx';
import { TextInput } from '../../kit/field.tsx';
import { Badge } from '../../kit/status.tsx';
import { modelChecklistText } from '../../text/model-checklist.ts';
import { useText } from '../../text/text.tsx';

/** A model that a key can reach, as the gateway lists it. */
export type ReachableModel = ChannelProbe['models'][number];

/** The number of lines that are drawn; the rest is found by typing. */
const SHOWN = 200;

/**
 * Returns the preselected models: those with a known price. If there are none, all models of an account's own channel, which need no price;
 * none of a shared channel, where a model without a price works for few accounts and is charged to nobody.
 */
export function usualModels(models: readonly ReachableModel[], { isShared }: { isShared: boolean }): readonly string[] {
  const priced = models.filter((model) => model.priced);
  return (priced.length > 0 || isShared ? priced : models).map(({ id }) => id);
}

interface ModelChecklistProps {
  readonly label: string;
  readonly models: readonly ReachableModel[];
  readonly value: readonly string[];
  readonly onChange: (value: readonly string[]) => void;
}

/** Chooses which of a provider's listed models a channel serves. */
export function ModelChecklist({ label, models, value, onChange }: ModelChecklistProps) {
  const text = useText(modelChecklistText);
  const [query, setQuery] = useState('');
  const chosen = new Set(value);
  const words = query.trim().toLowerCase().split(/\s+/);
  const found = models.filter(({ id, name, category }) => {
    const said = `${id} ${name} ${category} ${text.categories[category]}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const setAll = (isOn: boolean) => {
    const ids = new Set(found.map(({ id }) => id));
    const kept = value.filter((id) => !ids.has(id));
    onChange(isOn ? [...kept, ...ids] : kept);
  };
  const toggle = (id: string, isOn: boolean) => onChange(isOn ? [...value, id] : value.filter((one) => one !== id));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 font-medium text-sm">{label}</legend>
      <div className="flex flex-wrap items-center gap-2">
        <TextInput
          type="search"
          aria-label={text.filter}
          placeholder={text.filter}
          value={query}
          onChange={(event) => setQuery(event.currentTarget.value)}
          className="max-w-64"
        />
        <Button size="small" onClick={() => setAll(true)}>
          {text.all}
        </Button>
        <Button size="small" onClick={() => setAll(false)}>
          {text.none}
        </Button>
        <span role="status" className="numbers ms-auto text-soft text-sm">
          {text.chosen(value.length, models.length)}
        </span>
      </div>
      <ul
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        tabIndex={0}
        aria-label={label}
        className="max-h-72 overflow-y-auto rounded-md border border-line bg-sunken p-1"
      >
        {found.slice(0, SHOWN).map((model) => (
          <li key={model.id} className="flex items-start justify-between gap-2 px-2 py-0.5">
            <Checkbox
              className="min-w-0"
              label={<span className="break-all font-mono text-xs">{model.id}</span>}
              checked={chosen.has(model.id)}
              onCheckedChange={(isOn) => toggle(model.id, isOn)}
            />
            <span className="flex shrink-0 gap-1 pt-0.5">
              {!model.priced && <Badge tone="warn">{text.unpriced}</Badge>}
              <Badge>{text.categories[model.category]}</Badge>
            </span>
          </li>
        ))}
        {found.length === 0 && <li className="p-3 text-center text-soft text-sm">{text.nothing}</li>}
        {found.length > SHOWN && <li className="px-2 py-1 text-soft text-xs">{text.more(found.length - SHOWN)}</li>}
      </ul>
    </fieldset>
  );
}
