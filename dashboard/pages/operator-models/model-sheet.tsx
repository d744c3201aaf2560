import { Pencil, Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ShownModel } from '../../api/schema.ts';
import { useChange, useTagged, useWhole } from '../../api/use-api.ts';
import { Button, TextLink } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { ConfirmDialog, Sheet } from '../../kit/dialog.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { listOf, objectOf, textOf } from '../shared/json.ts';
import { useFacts } from '../shared/models/model-facts.tsx';
import { PriceList } from '../shared/models/prices.tsx';
import { priceOf } from '../shared/models/pricing.ts';
import { cacheLines } from './cache-values.ts';
import { type LayerName, type LayerRow, layerRows } from './layers.ts';
import { MODEL_READS } from './model-reads.ts';
import { EditModel } from './state-model.tsx';

interface ModelSheetProps {
  /** '' while closed. */
  readonly id: string;
  readonly isEdited: boolean;
  readonly onClose: () => void;
}

/** A model's facts and their sources, or the form that overrides them. */
export function ModelSheet({ id, isEdited, onClose }: ModelSheetProps) {
  const text = useText(operatorModelsText);
  const { set } = useSearchState(['edit']);
  const one = useTagged('getManagedModel', { params: { id } }, { enabled: id !== '' });
  const model = one.data?.value;
  return (
    <Sheet
      title={isEdited ? text.editTitle(id) : (model?.name ?? id)}
      description={!isEdited && <CopyText text={id} label={text.copyId} />}
      isOpen={id !== ''}
      onClose={onClose}
      size="large"
      isSticky={isEdited}
      footer={
        isEdited || model === undefined || model.managed_by === 'file' ? undefined : (
          <TaskActions model={model} onEdit={() => set({ edit: '1' })} />
        )
      }
    >
      {one.error ? (
        <ErrorBox error={one.error} onRetry={() => void one.refetch()} />
      ) : one.data === undefined ? (
        <Loading />
      ) : isEdited ? (
        <EditModel key={id} tagged={one.data} onDone={() => set({ edit: '' })} />
      ) : (
        <Details model={one.data.value} />
      )}
    </Sheet>
  );
}

function TaskActions({ model, onEdit }: { readonly model: ShownModel; readonly onEdit: () => void }) {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const [isAsked, setIsAsked] = useState(false);
  const remove = useChange('removeModelDeclaration', { touches: MODEL_READS });
  return (
    <>
      {model.yours != null && (
        <Button icon={Undo2} className="mr-auto" onClick={() => setIsAsked(true)}>
          {text.takeBack}
        </Button>
      )}
      <Button variant="primary" icon={Pencil} onClick={onEdit}>
        {text.edit}
      </Button>
      <ConfirmDialog
        title={text.takeBackTitle(model.id)}
        body={text.takeBackAbout((model.yours?.fields ?? []).join(', '))}
        confirmLabel={text.takeBack}
        isDanger
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id: model.id } });
          toast.done(text.takenBack(model.id));
        }}
      />
    </>
  );
}

function Details({ model }: { readonly model: ShownModel }) {
  const text = useText(operatorModelsText);
  const facts = useFacts();
  return (
    <div className="flex flex-col gap-5">
      {model.managed_by === 'file' && <Notice tone="neutral">{text.inFile}</Notice>}
      <Definitions items={[{ term: text.status, value: text.statuses[model.status] }, ...facts(model)]} />
      <section>
        <h3 className="font-semibold text-sm">{text.layersTitle}</h3>
        <p className="mb-2 text-soft text-xs">{text.layersAbout}</p>
        <Layers model={model} />
      </section>
      <section>
        <h3 className="mb-1 font-semibold text-sm">{text.channels}</h3>
        <Serving model={model} />
      </section>
    </div>
  );
}

const LAYERS: readonly LayerName[] = ['shipped', 'synced', 'stated'];

function Layers({ model }: { readonly model: ShownModel }) {
  const text = useText(operatorModelsText);
  const rows = layerRows(model);
  const source = model.layers?.synced?.source;
  if (rows.length === 0) return <p className="text-soft text-sm">{text.nothingKnown}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section tabIndex={0} aria-label={text.layersTitle} className="overflow-x-auto rounded-lg border border-line">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-line border-b text-start text-soft">
            <th scope="col" className="px-3 py-2 text-start font-medium">
              {text.field}
            </th>
            {LAYERS.map((layer) => (
              <th key={layer} scope="col" className="min-w-44 px-3 py-2 text-start font-medium">
                {text.layers[layer]}
                {layer === 'synced' && source?.date != null && (
                  <span className="block font-normal text-xs">{source.date}</span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.field} className="border-line border-b align-top last:border-b-0">
              <th scope="row" className="px-3 py-2 text-start font-normal text-soft">
                {text.fields[row.field]}
              </th>
              {LAYERS.map((layer) => (
                <td key={layer} className={row.holds === layer ? 'bg-accent-ground px-3 py-2' : 'px-3 py-2 text-soft'}>
                  <LayerValue row={row} layer={layer} category={model.category} />
                  {row.holds === layer &&
                    Object.values(row.values).filter((value) => value !== undefined).length > 1 && (
                      <Badge tone="accent">{text.holds}</Badge>
                    )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface LayerValueProps {
  readonly row: LayerRow;
  readonly layer: LayerName;
  readonly category: string;
}

function LayerValue({ row, layer, category }: LayerValueProps) {
  const format = useFormat();
  const value = row.values[layer];
  if (value === undefined) return <span>–</span>;
  if (row.field === 'pricing') return <PriceList pricing={value} category={category} />;
  if (typeof value === 'number') return <span className="numbers">{format.number(value)}</span>;
  if (row.field === 'cache') return <CacheLines cache={value} />;
  if (row.field === 'rules') return <RuleLines rules={value} />;
  if (Array.isArray(value)) return <span className="block break-words">{value.join(', ')}</span>;
  return <span className="block break-words">{typeof value === 'object' ? JSON.stringify(value) : String(value)}</span>;
}

function CacheLines({ cache }: { readonly cache: unknown }) {
  const text = useText(operatorModelsText);
  const names: Readonly<Record<string, string>> = text.cacheFields;
  const values: Readonly<Record<string, string>> = { ...text.cacheStrategies, ...text.yesNo };
  return (
    <ul>
      {cacheLines(cache).map(([name, value]) => (
        <li key={name} className="break-words">
          {names[name] ?? name}: {values[value] ?? value}
        </li>
      ))}
    </ul>
  );
}

function Serving({ model }: { readonly model: ShownModel }) {
  const text = useText(operatorModelsText);
  const format = useFormat();
  const channels = useWhole('listChannels', { query: { scope: 'platform' } });
  const serving = model.channels.filter((one) => typeof one !== 'string');
  if (serving.length === 0) return <p className="text-soft text-sm">{text.noChannel}</p>;
  return (
    <ul className="text-sm">
      {serving.map(({ id, name, upstream_model: upstream, model: publicId, enabled }) => {
        const costs = channels.data?.find((one) => one.id === id)?.costs;
        const markup = markupOf(model.pricing, costs?.[publicId]);
        return (
          <li
            key={`${id} ${publicId}`}
            className="flex flex-wrap items-baseline gap-x-3 border-line border-b py-1.5 last:border-b-0"
          >
            <TextLink to="/app/operator/channels" search={{ id } as never} title={id}>
              {name}
            </TextLink>
            <code className="break-all font-mono text-soft text-xs">
              {publicId === model.id ? upstream : `${publicId} → ${upstream}`}
            </code>
            {!enabled && <Badge>{text.off}</Badge>}
            {markup !== null && <span className="ml-auto text-soft">{text.markup(format.percent(markup))}</span>}
          </li>
        );
      })}
    </ul>
  );
}

/** Returns the margin over the channel's upstream price, for output tokens, else input: 0.2 is a fifth more. */
function markupOf(pricing: unknown, cost: unknown): number | null {
  const now = Date.now();
  for (const key of [
    'output_per_1m',
    'input_per_1m',
    'per_image',
    'per_second',
    'per_clip',
    'per_character',
  ] as const) {
    const [price, own] = [priceOf(pricing, key, now), priceOf(cost, key, now)];
    if (price !== null && own !== null && own > 0) return price / own - 1;
  }
  return null;
}

/** The rules in short, one per line. */
function RuleLines({ rules }: { readonly rules: unknown }) {
  return (
    <ol className="list-decimal ps-4">
      {listOf(rules).map((rule) => {
        const { name, when, model } = objectOf(rule);
        const said = textOf(name) || Object.keys(objectOf(when)).join(', ');
        return <li key={JSON.stringify(rule)}>{said === '' ? textOf(model) : `${said} → ${textOf(model)}`}</li>;
      })}
    </ol>
  );
}
