import { RefreshCw } from 'lucide-react';
import { useState } from 'react';
import type { CatalogSync, SyncCatalogRequest } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { RadioCards } from '../../kit/choice.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { operatorModelsText } from '../../text/operator-models.ts';
import { useText } from '../../text/text.tsx';
import { PriceList, usePriceAmount, usePriceName } from '../shared/models/prices.tsx';
import { PRICE_KEYS } from '../shared/models/pricing.ts';
import { MODEL_READS } from './model-reads.ts';

interface SyncSheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Imports a public price list: first a preview, then exactly that. */
export function SyncSheet({ isOpen, onClose }: SyncSheetProps) {
  const text = useText(operatorModelsText);
  return (
    <Sheet title={text.syncTitle} description={text.syncAbout} isOpen={isOpen} onClose={onClose} size="large" isSticky>
      {isOpen && <Sync onClose={onClose} />}
    </Sheet>
  );
}

interface Looked {
  readonly asked: SyncCatalogRequest;
  readonly sync: CatalogSync;
}

function Sync({ onClose }: Pick<SyncSheetProps, 'onClose'>) {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const change = useChange('syncCatalog');
  const apply = useChange('syncCatalog', { touches: MODEL_READS });
  const [looked, setLooked] = useState<Looked>();
  const form = useApiForm({
    defaultValues: { source: 'litellm', url: '', what: 'all', as_of: '' },
    fieldOf: { source: 'url', add: 'what', prices_only: 'what' },
    send: async (values) => {
      setLooked(undefined);
      const asked = requestOf(values);
      setLooked({ asked, sync: await change.mutateAsync({ body: asked }) });
    },
  });
  const source = form.watch('source');
  const applyNow = async ({ asked, sync }: Looked) => {
    try {
      const { changes } = await apply.mutateAsync({ body: { ...asked, apply: true, plan: sync.plan } });
      toast.done(text.applied(changes));
      onClose();
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
      // The preview no longer matches the settings.
      setLooked(undefined);
    }
  };
  return (
    <div className="flex flex-col gap-5">
      <Form form={form}>
        <Field label={text.source} error={source === 'url' ? undefined : form.errorOf('url')}>
          <RadioCards
            value={source}
            onChange={(value) => form.setValue('source', value)}
            options={[
              { value: 'litellm', label: 'LiteLLM', detail: text.litellm },
              { value: 'models.dev', label: 'models.dev', detail: text.modelsDev },
              { value: 'url', label: text.otherList, detail: text.otherListHelp },
            ]}
          />
        </Field>
        {source === 'url' && (
          <Field label={text.listUrl} isRequired error={form.errorOf('url')}>
            <TextInput isCode placeholder="https://" {...form.register('url')} />
          </Field>
        )}
        <Field label={text.takeOver} error={form.errorOf('what')}>
          <RadioCards
            value={form.watch('what')}
            onChange={(value) => form.setValue('what', value)}
            options={[
              { value: 'all', label: text.takeAll, detail: text.takeAllHelp },
              { value: 'prices', label: text.takePrices, detail: text.takePricesHelp },
              { value: 'add', label: text.takeNew, detail: text.takeNewHelp },
            ]}
          />
        </Field>
        <Field label={text.asOf} help={text.asOfHelp} error={form.errorOf('as_of')}>
          <TextInput type="date" {...form.register('as_of')} />
        </Field>
        <FormError error={form.formError} />
        <FormActions submitLabel={text.look} isBusy={form.isBusy} />
      </Form>
      {looked && <Difference sync={looked.sync} isBusy={apply.isPending} onApply={() => void applyNow(looked)} />}
    </div>
  );
}

function requestOf({
  source,
  url,
  what,
  as_of: asOf,
}: Record<'source' | 'url' | 'what' | 'as_of', string>): SyncCatalogRequest {
  return {
    source: source === 'url' ? url.trim() : source,
    ...(what === 'add' && { add: true }),
    ...(what === 'prices' && { prices_only: true }),
    ...(asOf !== '' && { as_of: asOf }),
  };
}

interface DifferenceProps {
  readonly sync: CatalogSync;
  readonly isBusy: boolean;
  readonly onApply: () => void;
}

function Difference({ sync, isBusy, onApply }: DifferenceProps) {
  const text = useText(operatorModelsText);
  const { changed, added, refused, changes } = sync;
  const left = [...sync.newer_prices, ...sync.measured_otherwise];
  return (
    <section aria-label={text.difference} className="flex min-w-0 flex-col gap-4">
      <Notice tone={changes === 0 ? 'good' : 'neutral'} title={text.wouldChange(changes)} isLive>
        {text.beside(sync.unchanged, sync.unknown, sync.source.date)}
      </Notice>
      {changed.length > 0 && (
        <Disclosure title={text.changed(changed.length)} isOpenAtFirst>
          <Changed changed={changed} />
        </Disclosure>
      )}
      {added.length > 0 && (
        <Disclosure title={text.added(added.length)}>
          <Lines
            items={added}
            keyOf={({ provider, id }) => `${provider} ${id}`}
            draw={({ provider, id, pricing, category }) => (
              <div className="grid gap-x-4 sm:grid-cols-2">
                <Name provider={provider} id={id} />
                <PriceList pricing={pricing} category={category} />
              </div>
            )}
          />
        </Disclosure>
      )}
      {refused.length > 0 && (
        <Disclosure title={text.refused(refused.length)}>
          <Lines
            items={refused}
            keyOf={({ provider, id }) => `${provider} ${id}`}
            draw={({ provider, id, problem }) => (
              <>
                <Name provider={provider} id={id} />
                <p className="text-soft">{problem}</p>
              </>
            )}
          />
        </Disclosure>
      )}
      {left.length > 0 && (
        <Disclosure title={text.leftAlone(left.length)}>
          <Lines items={left} keyOf={({ provider, id }) => `${provider} ${id}`} draw={(one) => <Name {...one} />} />
        </Disclosure>
      )}
      {changes > 0 && (
        <Button variant="primary" icon={RefreshCw} className="self-end" isBusy={isBusy} onClick={onApply}>
          {text.applyNow(changes)}
        </Button>
      )}
    </section>
  );
}

function Name({ provider, id }: { readonly provider: string; readonly id: string }) {
  return (
    <p className="break-all">
      <code className="font-mono text-xs">{id}</code> <span className="text-soft text-xs">{provider}</span>
    </p>
  );
}

function Changed({ changed }: Pick<CatalogSync, 'changed'>) {
  const text = useText(operatorModelsText);
  const wordsOf = useChangeWords();
  return (
    <Lines
      items={changed}
      keyOf={({ provider, id }) => `${provider} ${id}`}
      draw={({ provider, id, fields }) => (
        <>
          <Name provider={provider} id={id} />
          <ul>
            {fields.map((change) => {
              const { name, from, to, yours } = wordsOf(change);
              return (
                <li key={change.field} className="flex flex-wrap items-baseline gap-x-2">
                  <span className="text-soft">{name}</span>
                  <span className="numbers line-through decoration-1">{from ?? text.nothing}</span>
                  <span aria-hidden>→</span>
                  <span className="sr-only">{text.becomes}</span>
                  <span className="numbers font-medium">{to ?? text.nothing}</span>
                  {yours !== null && <span className="text-accent">{text.yoursStays(yours)}</span>}
                </li>
              );
            })}
          </ul>
        </>
      )}
    />
  );
}

type FieldChange = CatalogSync['changed'][number]['fields'][number];

/** Returns a function that names a changed field, and formats its values if they are prices. */
function useChangeWords() {
  const nameOf = usePriceName();
  const amountOf = usePriceAmount();
  return ({ field, from, to, yours }: FieldChange) => {
    const key = PRICE_KEYS.find((one) => one === field);
    const isPrice = (usd: string | null): usd is string => usd !== null && /^\d+(?:\.\d+)?$/.test(usd);
    const amount = (usd: string | null) => (key !== undefined && isPrice(usd) ? amountOf(key, usd) : usd);
    return {
      name: key === undefined ? field : nameOf({ key }),
      ...{ from: amount(from), to: amount(to), yours: amount(yours) },
    };
  };
}

interface LinesProps<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  readonly draw: (item: Item) => React.ReactNode;
}

/** The number of lines drawn at first: lists have thousands. */
const STEP = 100;

function Lines<Item>({ items, keyOf, draw }: LinesProps<Item>) {
  const text = useText(operatorModelsText);
  const [shown, setShown] = useState(STEP);
  return (
    <>
      <ul className="text-sm">
        {items.slice(0, shown).map((item) => (
          <li key={keyOf(item)} className="border-line border-b py-1.5 last:border-b-0">
            {draw(item)}
          </li>
        ))}
      </ul>
      {items.length > shown && (
        <Button size="small" className="mt-2" onClick={() => setShown(shown + STEP)}>
          {text.showMore(items.length - shown)}
        </Button>
      )}
    </>
  );
}
