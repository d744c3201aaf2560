import { Plus, SlidersHorizontal, X } from 'lucide-react';
import { useState } from 'react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Checkbox } from '../../../kit/choice.tsx';
import { Field, NumberInput, TextInput } from '../../../kit/field.tsx';
import { Select } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { modelsText } from '../../../text/models.ts';
import { useText } from '../../../text/text.tsx';
import { COST_UNITS, type CostLine, costProblem, hasVariants, type ModelCost, NEW_LINE } from './cost-values.ts';
import type { ChannelForm } from './form-values.ts';
import { ModelPicker } from './model-rows.tsx';

/** The provider's prices per model, one line each. */
export function CostsField({ form }: { readonly form: ChannelForm }) {
  const text = useText(channelFormText);
  const costs = form.watch('costs');
  const served = form.watch('models').map(({ id }) => id);
  form.register('costs', { validate: (all) => problemOf(all, text) ?? true });
  const change = (next: ModelCost[]) => {
    form.setValue('costs', next, { shouldDirty: true });
    form.clearErrors('costs');
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-sm">{text.costs}</legend>
      <p className="text-soft text-xs">{text.costsHelp}</p>
      {costs.map((cost, at) => (
        <Cost
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other name while its model is chosen
          key={at}
          cost={cost}
          served={served}
          onChange={(next) => change(costs.toSpliced(at, 1, next))}
          onRemove={() => change(costs.toSpliced(at, 1))}
        />
      ))}
      <Button
        size="small"
        icon={Plus}
        className="self-start"
        onClick={() => change([...costs, { model: '', isFree: false, lines: STARTED }])}
      >
        {text.addCost}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {form.errorOf('costs')}
      </p>
    </fieldset>
  );
}

/** The units of most models. */
const STARTED: readonly CostLine[] = [NEW_LINE, { ...NEW_LINE, unit: 'output_per_1m' }];

type Words = (typeof channelFormText)['en'];

function problemOf(costs: readonly ModelCost[], text: Words): string | undefined {
  const problem = costProblem(costs);
  if (problem === null) return undefined;
  const { kind, model } = problem;
  if (kind === 'noModel') return text.chooseModel;
  if (kind === 'twice') return text.modelTwice(model);
  return kind === 'noPrice' ? text.noCost(model) : text.costTwice(model);
}

interface CostProps {
  readonly cost: ModelCost;
  readonly served: readonly string[];
  readonly onChange: (cost: ModelCost) => void;
  readonly onRemove: () => void;
}

function Cost({ cost, served, onChange, onRemove }: CostProps) {
  const text = useText(channelFormText);
  const { model, isFree, lines } = cost;
  const set = (next: readonly CostLine[]) => onChange({ ...cost, lines: next });
  return (
    <div className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <ModelPicker
        model={model}
        served={served}
        onChange={(next) => onChange({ ...cost, model: next })}
        {...{ onRemove }}
      />
      <Checkbox
        label={text.isFree}
        checked={isFree}
        onCheckedChange={(isChosen) => onChange({ ...cost, isFree: isChosen })}
      />
      {!isFree && (
        <>
          {lines.map((line, at) => (
            <Line
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
              key={at}
              line={line}
              model={model}
              onChange={(next) => set(lines.toSpliced(at, 1, next))}
              onRemove={() => set(lines.toSpliced(at, 1))}
            />
          ))}
          <Button size="small" icon={Plus} className="self-start" onClick={() => set([...lines, NEW_LINE])}>
            {text.addPrice}
          </Button>
        </>
      )}
    </div>
  );
}

interface LineProps {
  readonly line: CostLine;
  readonly model: string;
  readonly onChange: (line: CostLine) => void;
  readonly onRemove: () => void;
}

/** A price; its conditions are shown if it has any, or if they are asked for. */
function Line({ line, model, onChange, onRemove }: LineProps) {
  const text = useText(channelFormText);
  const { prices } = useText(modelsText);
  const [isOpen, setIsOpen] = useState(line.variant !== '' || line.above !== '' || line.from !== '');
  const name = prices[line.unit];
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-2 sm:grid-cols-[minmax(0,1fr)_9rem_auto_auto]">
        <Select
          label={text.unitOf(model)}
          value={line.unit}
          onChange={(unit) => onChange({ ...line, unit })}
          options={COST_UNITS.map((unit) => ({ value: unit, label: prices[unit] }))}
          className="max-sm:col-span-3"
        />
        <NumberInput
          prefix="$"
          aria-label={text.priceOf(model, name)}
          value={line.usd}
          onChange={(event) => onChange({ ...line, usd: event.currentTarget.value })}
        />
        <IconButton
          icon={SlidersHorizontal}
          label={text.conditionsOf(model, name)}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        />
        <IconButton icon={X} label={text.removePrice(model, name)} onClick={onRemove} />
      </div>
      {isOpen && (
        <div className="grid gap-3 border-line border-l-2 pl-3 sm:grid-cols-3">
          {hasVariants(line.unit) && (
            <Field label={text.variant} help={text.variantHelp}>
              <TextInput
                isCode
                value={line.variant}
                onChange={(event) => onChange({ ...line, variant: event.currentTarget.value })}
              />
            </Field>
          )}
          <Field label={text.above} help={text.aboveHelp}>
            <NumberInput
              isWhole
              value={line.above}
              onChange={(event) => onChange({ ...line, above: event.currentTarget.value })}
            />
          </Field>
          <Field label={text.fromTime} help={text.fromTimeHelp}>
            <TextInput
              isCode
              placeholder="2027-01-01T00:00:00Z"
              value={line.from}
              onChange={(event) => onChange({ ...line, from: event.currentTarget.value })}
            />
          </Field>
        </div>
      )}
    </div>
  );
}
