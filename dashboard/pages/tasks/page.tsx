import { Box, Clapperboard, ClipboardList, Image, type LucideIcon, Music } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { ManagedTask } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Segmented } from '../../kit/choice.tsx';
import { Time } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { shellText } from '../../text/shell.ts';
import { tasksText } from '../../text/tasks.ts';
import { useText } from '../../text/text.tsx';
import { isShowable, mediaAddress, mediaKindOf } from './media.ts';
import { TaskSheet } from './task-sheet.tsx';
import { TaskState } from './task-state.tsx';

const KINDS = ['video', 'music', '3d', 'image'] as const;
const STATES = ['open', 'completed', 'failed'] as const;
const WHILE_OPEN_MS = 10_000;
const ELSE_MS = 20_000;
const ROW_HEIGHT = 60;

export function Page() {
  const text = useText(tasksText);
  const pages = useText(shellText).pages;
  const { query, accountId } = useScope();
  const { values, set } = useSearchState(['kind', 'state', 'id']);
  const kind = KINDS.find((one) => one === values.kind);
  const state = STATES.find((one) => one === values.state);
  const wanted = {
    ...query,
    ...(kind && { kind }),
    ...(state === 'open' ? { open: true } : state && { stage: state }),
  };
  const [hasOpen, setHasOpen] = useState(true);
  const tasks = useList('listManagedTasks', { query: wanted }, { every: hasOpen ? WHILE_OPEN_MS : ELSE_MS });
  const isAnyOpen = tasks.items.some(({ ended_at }) => ended_at === null);
  useEffect(() => setHasOpen(isAnyOpen), [isAnyOpen]);
  const columns = useColumns();
  return (
    <>
      <PageHeader title={pages.tasks} description={text.about} />
      <div className="mb-3 flex flex-wrap gap-2">
        <Segmented
          label={text.state}
          value={state ?? 'all'}
          onChange={(next) => set({ state: next === 'all' ? '' : next })}
          options={[
            { value: 'all', label: text.all },
            ...STATES.map((value) => ({ value, label: text.states[value] })),
          ]}
        />
        <Segmented
          label={text.kind}
          value={kind ?? 'all'}
          onChange={(next) => set({ kind: next === 'all' ? '' : next })}
          options={[{ value: 'all', label: text.all }, ...KINDS.map((value) => ({ value, label: text.kinds[value] }))]}
        />
      </div>
      <DataTable
        label={pages.tasks}
        columns={accountId === null ? columns : columns.filter(({ id }) => id !== 'account')}
        rows={tasks}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        rowHeight={ROW_HEIGHT}
        empty={<None isFiltered={kind !== undefined || state !== undefined} />}
      />
      <TaskSheet id={values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

function useColumns(): readonly Column<ManagedTask>[] {
  const text = useText(tasksText);
  return [
    {
      ...{ id: 'task', title: text.task, width: 'minmax(9rem, 1.5fr)' },
      cell: (task) => (
        <span className="flex min-w-0 items-center gap-3">
          <Thumbnail task={task} />
          <span className="truncate">{text.kinds[task.kind]}</span>
        </span>
      ),
    },
    {
      id: 'model',
      title: text.model,
      from: 'sm',
      width: 'minmax(8rem, 2fr)',
      cell: ({ model }) => <span title={model}>{model}</span>,
    },
    { id: 'account', title: text.account, from: 'md', cell: ({ account }) => <span title={account}>{account}</span> },
    { id: 'channel', title: text.channel, from: 'lg', cell: ({ channel }) => channel ?? '–' },
    { id: 'state', title: text.state, width: '8rem', cell: (task) => <TaskState task={task} /> },
    {
      ...{ id: 'age', title: text.created, from: 'sm', width: '9rem' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
  ];
}

const ICONS: Readonly<Record<ManagedTask['kind'], LucideIcon>> = {
  video: Clapperboard,
  music: Music,
  '3d': Box,
  image: Image,
};

/** A picture of the result, if there is one. */
function Thumbnail({ task: { kind, preview } }: { readonly task: ManagedTask }) {
  const [isBroken, setBroken] = useState(false);
  const Icon = ICONS[kind];
  const picture = preview && pictureOf(preview, kind);
  return (
    <span className="flex size-11 shrink-0 items-center justify-center overflow-hidden rounded-md bg-sunken text-soft">
      {picture && !isBroken ? (
        <img src={picture} alt="" loading="lazy" className="size-full object-cover" onError={() => setBroken(true)} />
      ) : (
        <Icon aria-hidden size={18} />
      )}
    </span>
  );
}

function pictureOf({ url, content_type, cover_url }: NonNullable<ManagedTask['preview']>, kind: string): string | null {
  const picture = cover_url ?? (mediaKindOf(url, content_type, kind) === 'image' ? url : undefined);
  if (picture === undefined) return null;
  const address = mediaAddress(picture);
  return isShowable(address) ? address : null;
}

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  const text = useText(tasksText);
  const { base, mayWrite, accountId } = useScope();
  if (isFiltered) return <Empty icon={ClipboardList} title={text.noneSuch} />;
  const action = mayWrite && accountId !== null && (
    <LinkButton variant="primary" to={`${base}/playground`}>
      {text.toPlayground}
    </LinkButton>
  );
  return (
    <Empty icon={ClipboardList} title={text.none} action={action}>
      {text.noneText}
    </Empty>
  );
}
