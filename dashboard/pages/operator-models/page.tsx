import { Boxes, Plus, RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import type { ManagedModel } from '../../api/schema.ts';
import { useWhole } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Checkbox } from '../../kit/choice.tsx';
import { Field } from '../../kit/field.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { Badge, Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { isShown, useWidth } from '../../kit/width.ts';
import { useSearchState } from '../../shell/search.ts';
import { kitText } from '../../text/kit.ts';
import { modelsText } from '../../text/models.ts';
import { operatorModelsText } from '../../text/operator-models.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { FilterBar } from '../shared/models/filter-bar.tsx';
import { SuccessRate } from '../shared/models/model-facts.tsx';
import { usePriceColumns } from '../shared/models/price-columns.tsx';
import { ShortPrice, UnitNote } from '../shared/models/prices.tsx';
import { useFilters } from '../shared/models/use-filters.ts';
import { ModelMenu, STATUSES, StatusBadge } from './model-menu.tsx';
import { ModelSheet } from './model-sheet.tsx';
import { StateSheet } from './state-model.tsx';
import { SyncSheet } from './sync.tsx';

const NONE: readonly ManagedModel[] = [];

/** All models and their prices, for operators. */
export function Page() {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  const shell = useText(shellText);
  const { values, set } = useSearchState(['id', 'edit', 'new', 'sync', 'status', 'sandbox']);
  const list = useWhole('listManagedModels', {}, { every: 60_000 });
  const all = list.data ?? NONE;
  const hasSandbox = values.sandbox !== '';
  const offered = useMemo(() => (hasSandbox ? all : all.filter(({ sandbox }) => sandbox !== true)), [all, hasSandbox]);
  const filters = useFilters(offered);
  const shown = filters.shown.filter(({ status }) => values.status === '' || status === values.status);
  const width = useWidth();
  const hasPriceColumns = isShown('md', width);
  const columns = useColumns(hasPriceColumns, isShown('xl', width));
  const isNarrowed = filters.isFiltered || values.status !== '';
  const sandboxCount = all.filter(({ sandbox }) => sandbox === true).length;
  const showSandbox = (isChosen: boolean) => set({ sandbox: isChosen ? '1' : '' });
  const empty = isNarrowed ? (
    <Empty icon={Boxes} title={words.noneFound} />
  ) : (
    <Empty
      icon={Boxes}
      title={words.noModels}
      action={sandboxCount > 0 && <Button onClick={() => showSandbox(true)}>{text.openSandbox}</Button>}
    >
      {text.noModels}
    </Empty>
  );
  const close = () => set({ id: '', edit: '', new: '', sync: '' });
  return (
    <>
      <PageHeader title={shell.pages.models} description={text.about} actions={<Actions />} />
      <div className="flex flex-col gap-4">
        <FilterBar filters={filters}>
          <StatusFilter />
        </FilterBar>
        {sandboxCount > 0 && (
          <Checkbox
            label={text.showSandbox(sandboxCount)}
            checked={hasSandbox}
            onCheckedChange={showSandbox}
            className="-my-2"
          />
        )}
        <DataTable
          label={shell.pages.models}
          columns={columns}
          rows={{ items: shown, isLoading: list.isPending, error: list.error, refetch: () => void list.refetch() }}
          keyOf={({ id }) => id}
          onOpen={({ id }) => set({ id }, false)}
          openKey={values.id}
          rowHeight={hasPriceColumns ? 52 : 72}
          empty={empty}
        />
      </div>
      <ModelSheet id={values.id} isEdited={values.edit !== ''} onClose={close} />
      <StateSheet isOpen={values.new !== ''} onClose={close} />
      <SyncSheet isOpen={values.sync !== ''} onClose={close} />
    </>
  );
}

function StatusFilter() {
  const text = useText(operatorModelsText);
  const { values, set } = useSearchState(['status']);
  return (
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
  );
}

function Actions() {
  const text = useText(operatorModelsText);
  const { set } = useSearchState(['new', 'sync']);
  return (
    <>
      <Button icon={RefreshCw} onClick={() => set({ sync: '1' }, false)}>
        {text.sync}
      </Button>
      <Button variant="primary" icon={Plus} onClick={() => set({ new: '1' }, false)}>
        {text.state}
      </Button>
    </>
  );
}

function useColumns(hasPriceColumns: boolean, hasUnitColumn: boolean): readonly Column<ManagedModel>[] {
  const text = useText(operatorModelsText);
  const words = useText(modelsText);
  const kit = useText(kitText);
  const prices = usePriceColumns('minmax(7rem, 1.3fr)');
  return [
    {
      id: 'model',
      title: words.model,
      width: 'minmax(9rem, 2.5fr)',
      sortBy: ({ id }) => id,
      cell: ({ id, name, pricing, category }) => (
        <span title={id}>
          <span className="block truncate">{id}</span>
          <span className="block truncate font-normal text-soft text-xs">
            {name}
            {hasPriceColumns && !hasUnitColumn && <UnitNote pricing={pricing} category={category} />}
          </span>
          {!hasPriceColumns && <ShortPrice pricing={pricing} category={category} />}
        </span>
      ),
    },
    {
      id: 'status',
      title: text.status,
      width: '5rem',
      sortBy: ({ status }) => status,
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    ...prices,
    {
      id: 'layer',
      title: text.priceFrom,
      width: '5.75rem',
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
      width: '4.5rem',
      from: 'lg',
      sortBy: ({ channels }) => channels.length,
      cell: ({ channels }) => channels.length,
    },
    {
      id: 'success',
      title: words.successColumn,
      align: 'end',
      width: '4rem',
      from: 'xl',
      sortBy: ({ success_rate_24h: rate }) => rate,
      cell: (model) => <SuccessRate model={model} />,
    },
    {
      id: 'menu',
      title: text.actions,
      align: 'end',
      width: '3.5rem',
      cell: (model) => <ModelMenu model={model} />,
    },
  ];
}
