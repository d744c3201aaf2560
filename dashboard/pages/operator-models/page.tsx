import { Boxes, Plus, RefreshCw } from 'lucide-react';
import type { ManagedModel } from '../../api/schema.ts';
import { useChange, useWhole } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Field } from '../../kit/field.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSearchState } from '../../shell/search.ts';
import { kitText } from '../../text/kit.ts';
import { modelsText } from '../../text/models.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { FilterBar } from '../shared/models/filter-bar.tsx';
import { SuccessRate } from '../shared/models/model-facts.tsx';
import { usePriceColumns } from '../shared/models/price-columns.tsx';
import { useFilters } from '../shared/models/use-filters.ts';
import { MODEL_READS } from './model-reads.ts';
import { ModelSheet } from './model-sheet.tsx';
import { StateSheet } from './state-model.tsx';
import { SyncSheet } from './sync.tsx';

const NONE: readonly ManagedModel[] = [];

/** All models and their prices, for operators. */
export function Page() {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  const shell = useText(shellText);
  const { values, set } = useSearchState(['id', 'edit', 'new', 'sync', 'status']);
  const list = useWhole('listManagedModels', {}, { every: 60_000 });
  const all = list.data ?? NONE;
  const filters = useFilters(all);
  const shown = filters.shown.filter(({ status }) => values.status === '' || status === values.status);
  const columns = useColumns();
  const isNarrowed = filters.isFiltered || values.status !== '';
  const close = () => set({ id: '', edit: '', new: '', sync: '' });
  return (
    <>
      <PageHeader
        title={shell.pages.models}
        description={text.about}
        actions={
          <>
            <Button icon={RefreshCw} onClick={() => set({ sync: '1' }, false)}>
              {text.sync}
            </Button>
            <Button variant="primary" icon={Plus} onClick={() => set({ new: '1' }, false)}>
              {text.state}
            </Button>
          </>
        }
      />
      <div className="flex flex-col gap-4">
        <FilterBar filters={filters}>
          <Field label={text.status}>
            <Select
              value={values.status === '' ? 'all' : values.status}
              onChange={(status) => set({ status: status === 'all' ? '' : status })}
              options={[
                { value: 'all', label: text.anyStatus },
                ...STATUSES.map((value) => ({ value, label: text.statuses[value] })),
              ]}
            />
          </Field>
        </FilterBar>
        <DataTable
          label={shell.pages.models}
          columns={columns}
          rows={{ items: shown, isLoading: list.isPending, error: list.error, refetch: () => void list.refetch() }}
          keyOf={({ id }) => id}
          onOpen={({ id }) => set({ id }, false)}
          openKey={values.id}
          rowHeight={52}
          empty={
            <Empty icon={Boxes} title={isNarrowed ? words.noneFound : words.noModels}>
              {!isNarrowed && text.noModels}
            </Empty>
          }
        />
      </div>
      <ModelSheet id={values.id} isEdited={values.edit !== ''} onClose={close} />
      <StateSheet isOpen={values.new !== ''} onClose={close} />
      <SyncSheet isOpen={values.sync !== ''} onClose={close} />
    </>
  );
}

const STATUSES = ['public', 'hidden', 'hold'] as const;

function useColumns(): readonly Column<ManagedModel>[] {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  const kit = useText(kitText);
  const prices = usePriceColumns('minmax(7rem, 1fr)');
  return [
    {
      id: 'model',
      title: words.model,
      width: 'minmax(9rem, 2.5fr)',
      sortBy: ({ id }) => id,
      cell: ({ id, name }) => (
        <span title={id}>
          <span className="block truncate">{id}</span>
          <span className="block truncate font-normal text-soft text-xs">{name}</span>
        </span>
      ),
    },
    {
      id: 'status',
      title: text.status,
      width: '7.5rem',
      sortBy: ({ status }) => status,
      cell: (model) => <StatusSelect model={model} />,
    },
    ...prices,
    {
      id: 'layer',
      title: text.priceFrom,
      width: '6rem',
      from: 'md',
      sortBy: ({ price_layer: layer }) => layer ?? null,
      cell: ({ price_layer: layer }) =>
        layer == null ? (
          <Badge tone="warn">{kit.noPrice}</Badge>
        ) : (
          <Badge tone={layer === 'stated' ? 'accent' : 'neutral'}>{text.layers[layer]}</Badge>
        ),
    },
    {
      id: 'channels',
      title: text.channels,
      align: 'end',
      width: '5rem',
      from: 'lg',
      sortBy: ({ channels }) => channels.length,
      cell: ({ channels }) => channels.length,
    },
    {
      id: 'success',
      title: words.successColumn,
      align: 'end',
      width: '5rem',
      from: 'xl',
      sortBy: ({ success_rate_24h: rate }) => rate,
      cell: (model) => <SuccessRate model={model} />,
    },
  ];
}

/** Changes the status at once, with an undo. */
function StatusSelect({ model }: { readonly model: ManagedModel }) {
  const text = useText(operatorModelsText);
  const toast = useToast();
  const update = useChange('updateModel', { touches: MODEL_READS });
  const { id, status, managed_by: manager } = model;
  const send = (next: ManagedModel['status']) => update.mutateAsync({ params: { id }, body: { status: next } });
  const change = async (next: ManagedModel['status']) => {
    try {
      await send(next);
      toast.done(text.statusChanged(id, text.statuses[next]), { label: text.undo, run: () => send(status) });
    } catch (error) {
      toast.failed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <span className="above-row block">
      <Select
        size="small"
        label={text.statusOf(id)}
        value={status}
        isDisabled={manager === 'file' || update.isPending}
        onChange={(next) => void change(next)}
        options={STATUSES.map((value) => ({ value, label: text.statuses[value], detail: text.statusHelp[value] }))}
      />
    </span>
  );
}
