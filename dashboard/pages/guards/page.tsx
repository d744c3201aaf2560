import { Plus, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import type { Guard } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useSearchState } from '../../shell/search.ts';
import { guardsText } from '../../text/guards.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { GuardSheet, NewGuard } from './guard-sheet.tsx';

export function Page() {
  const text = useText(guardsText);
  const pages = useText(shellText).pages;
  const { values, set } = useSearchState(['id']);
  const [isMaking, setMaking] = useState(false);
  const guards = useList('listGuards', {}, { every: 30_000 });
  const make = (
    <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
      {text.create}
    </Button>
  );
  return (
    <>
      <PageHeader title={pages.guards} description={text.about} actions={guards.items.length > 0 && make} />
      <DataTable
        label={pages.guards}
        columns={useColumns()}
        rows={guards}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        empty={
          <Empty icon={ShieldCheck} title={text.none} action={make}>
            {text.noneText}
          </Empty>
        }
      />
      <NewGuard isOpen={isMaking} onClose={() => setMaking(false)} />
      <GuardSheet id={values.id} onClose={() => set({ id: '' })} />
    </>
  );
}

function useColumns(): readonly Column<Guard>[] {
  const text = useText(guardsText);
  const rulesOf = ({ pii = [], patterns = [], terms = [], moderation, webhook }: Guard) => [
    ...pii.map((rule) => text.classes[rule.class]),
    ...[...patterns, ...terms].map(({ name }) => name),
    ...(moderation == null ? [] : [moderation.model]),
    ...(webhook == null ? [] : [text.webhook]),
  ];
  return [
    { id: 'name', title: text.name, width: 'minmax(7rem, 1.2fr)', cell: ({ name }) => name },
    {
      ...{ id: 'id', title: text.id, from: 'lg', width: 'minmax(6rem, 1fr)' },
      cell: ({ id }) => <code className="font-mono text-sm">{id}</code>,
    },
    {
      ...{ id: 'rules', title: text.rules, width: 'minmax(8rem, 2.5fr)' },
      cell: (guard) => {
        const rules = rulesOf(guard).join(', ');
        return rules === '' ? <span className="text-soft">{text.noRules}</span> : <span title={rules}>{rules}</span>;
      },
    },
    {
      ...{ id: 'stages', title: text.checks, from: 'sm', width: 'minmax(9rem, 1fr)' },
      cell: ({ stages }) => stages.map((stage) => text.stages[stage]).join(', '),
    },
    {
      ...{ id: 'managed', title: text.managedBy, from: 'md', width: '9rem' },
      cell: ({ managed_by: by }) => text.managers[by ?? 'api'],
    },
  ];
}
