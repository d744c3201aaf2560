import { Boxes, GitCompare, Play } from 'lucide-react';
import type { ManagedModel } from '../../api/schema.ts';
import { useWhole } from '../../api/use-api.ts';
import { Button, LinkButton } from '../../kit/button.tsx';
import { Checkbox } from '../../kit/choice.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { isShown, useWidth } from '../../kit/width.ts';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { modelsText } from '../../text/models.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { FilterBar } from '../shared/models/filter-bar.tsx';
import { categoryOf, SuccessRate, useFacts } from '../shared/models/model-facts.tsx';
import { usePriceColumns } from '../shared/models/price-columns.tsx';
import { ShortPrice, UnitNote } from '../shared/models/prices.tsx';
import { useFilters } from '../shared/models/use-filters.ts';
import { vendorName } from '../shared/models/vendor-name.ts';
import { CompareSheet, MOST_COMPARED, useCompared } from './compare.tsx';

const NONE: readonly ManagedModel[] = [];

/** The models that an account can use: to search, view and compare. */
export function Page() {
  const text = useText(modelsText);
  const shell = useText(shellText);
  const { query } = useScope();
  const { values, set } = useSearchState(['id', 'compared']);
  const list = useWhole('listManagedModels', { query }, { every: 60_000 });
  const models = list.data ?? NONE;
  const filters = useFilters(models);
  const compared = useCompared(models);
  const width = useWidth();
  const hasPriceColumns = isShown('md', width);
  const columns = useColumns(compared, { hasPriceColumns, hasUnitColumn: isShown('xl', width) });
  const open = models.find(({ id }) => id === values.id);
  const empty = filters.isFiltered ? (
    <Empty icon={Boxes} title={text.noneFound} action={<Button onClick={filters.clear}>{text.clearFilters}</Button>} />
  ) : (
    <Empty icon={Boxes} title={text.noModels}>
      {text.noModelsAbout}
    </Empty>
  );
  return (
    <>
      <PageHeader title={shell.pages.models} description={text.accountAbout} />
      <div className="flex flex-col gap-4">
        <FilterBar filters={filters}>
          <Button
            icon={GitCompare}
            disabled={compared.models.length < 2}
            title={text.compareHelp}
            onClick={() => set({ compared: '1' }, false)}
          >
            {text.compare(compared.models.length)}
          </Button>
        </FilterBar>
        <DataTable
          label={shell.pages.models}
          columns={columns}
          rows={{
            items: filters.shown,
            isLoading: list.isPending,
            error: list.error,
            refetch: () => void list.refetch(),
          }}
          keyOf={({ id }) => id}
          empty={empty}
          onOpen={({ id }) => set({ id }, false)}
          openKey={values.id}
          rowHeight={hasPriceColumns ? 52 : 72}
        />
      </div>
      <ModelSheet model={open} onClose={() => set({ id: '' })} />
      <CompareSheet
        models={compared.models}
        isOpen={values.compared !== '' && compared.models.length > 1}
        onClose={() => set({ compared: '' })}
        onRemove={compared.toggle}
      />
    </>
  );
}

interface Room {
  readonly hasPriceColumns: boolean;
  readonly hasUnitColumn: boolean;
}

function useColumns(compared: ReturnType<typeof useCompared>, room: Room): readonly Column<ManagedModel>[] {
  const text = useText(modelsText);
  const format = useFormat();
  const prices = usePriceColumns();
  return [
    {
      id: 'model',
      title: text.model,
      width: 'minmax(10rem, 3fr)',
      sortBy: ({ name }) => name,
      cell: (model) => <ModelName model={model} {...room} />,
    },
    {
      id: 'category',
      title: text.category,
      width: 'minmax(7rem, 1fr)',
      from: 'sm',
      sortBy: (model) => text.categories[categoryOf(model)],
      cell: (model) => (
        <span title={vendorName(model.owned_by)}>
          <span className="block truncate">{text.categories[categoryOf(model)]}</span>
          <span className="block truncate text-soft text-xs">{vendorName(model.owned_by)}</span>
        </span>
      ),
    },
    ...prices,
    {
      id: 'context',
      title: text.context,
      align: 'end',
      width: '4rem',
      from: 'lg',
      sortBy: ({ capabilities }) => capabilities?.context_tokens ?? null,
      cell: ({ capabilities }) =>
        capabilities?.context_tokens == null ? '–' : format.compact(capabilities.context_tokens),
    },
    {
      id: 'success',
      title: text.successColumn,
      align: 'end',
      width: '4rem',
      from: 'sm',
      sortBy: ({ success_rate_24h: rate }) => rate,
      cell: (model) => <SuccessRate model={model} />,
    },
    {
      id: 'compare',
      title: text.compareColumn,
      width: '4.5rem',
      cell: ({ id, name }) => (
        <Checkbox
          className="above-row"
          label={text.compareOne(name)}
          isLabelHidden
          checked={compared.has(id)}
          disabled={!compared.has(id) && compared.models.length >= MOST_COMPARED}
          onCheckedChange={() => compared.toggle(id)}
        />
      ),
    },
  ];
}

function ModelName({ model, hasPriceColumns, hasUnitColumn }: Room & { readonly model: ManagedModel }) {
  const { id, name, pricing, category } = model;
  return (
    <span title={id}>
      <span className="block truncate">{name}</span>
      <span className="block truncate font-mono font-normal text-soft text-xs">
        {id}
        {hasPriceColumns && !hasUnitColumn && <UnitNote pricing={pricing} category={category} />}
      </span>
      {!hasPriceColumns && <ShortPrice pricing={pricing} category={category} />}
    </span>
  );
}

function ModelSheet({ model, onClose }: { readonly model: ManagedModel | undefined; readonly onClose: () => void }) {
  const text = useText(modelsText);
  const { base, mayWrite } = useScope();
  const facts = useFacts();
  const own = model?.own_channels ?? [];
  return (
    <Sheet
      title={model?.name ?? ''}
      description={model && <CopyText text={model.id} label={text.copyId} />}
      isOpen={model !== undefined}
      onClose={onClose}
      footer={
        model && mayWrite ? (
          <LinkButton variant="primary" icon={Play} to={`${base}/playground`} search={{ model: model.id } as never}>
            {text.tryIt}
          </LinkButton>
        ) : undefined
      }
    >
      {model && (
        <div className="flex flex-col gap-4">
          {model.description !== null && <p>{model.description}</p>}
          <Definitions items={facts(model)} />
          {own.length > 0 && <p className="text-sm">{text.overOwn(own.map(({ name }) => name).join(', '))}</p>}
        </div>
      )}
    </Sheet>
  );
}
