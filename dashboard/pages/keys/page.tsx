import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Key } from '../../api/schema.ts';
import { useList } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Money, Time } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Empty } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { credentialsText } from '../../text/credentials.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { SecretDialog, type ShownSecret, StateBadge, StateFilter } from '../shared/credentials/parts.tsx';
import { KeySheet } from './key-sheet.tsx';
import { NewKey } from './new-key.tsx';

export function Page() {
  const text = useText(credentialsText);
  const pages = useText(shellText).pages;
  const { query, mayWrite } = useScope();
  const { values, set } = useSearchState(['id', 'state']);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<ShownSecret | null>(null);
  const listed = useList('listKeys', { query }, { every: 30_000 });
  const state = values.state === '' ? 'active' : values.state;
  const items = listed.items.filter((key) => state === 'all' || key.state === state);
  return (
    <>
      <PageHeader
        title={pages.keys}
        description={text.keysAbout}
        actions={
          mayWrite && (
            <Button variant="primary" icon={Plus} onClick={() => setMaking(true)}>
              {text.newKey}
            </Button>
          )
        }
      />
      <div className="mb-3">
        <StateFilter value={state} onChange={(next) => set({ state: next === 'active' ? '' : next })} />
      </div>
      <DataTable
        label={pages.keys}
        columns={useColumns()}
        rows={{ ...listed, items }}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        empty={<None isAny={listed.items.length > 0} mayWrite={mayWrite} onMake={() => setMaking(true)} />}
      />
      <NewKey isOpen={isMaking} onClose={() => setMaking(false)} onMade={setSecret} />
      <KeySheet id={values.id === '' ? undefined : values.id} onClose={() => set({ id: '' })} onSecret={setSecret} />
      <SecretDialog
        shown={secret}
        title={text.secretTitle(text.aKey)}
        what={text.aKey}
        onClose={() => setSecret(null)}
      />
    </>
  );
}

interface NoneProps {
  /** Whether there are keys of other states than the chosen one. */
  readonly isAny: boolean;
  readonly mayWrite: boolean;
  readonly onMake: () => void;
}

function None({ isAny, mayWrite, onMake }: NoneProps) {
  const text = useText(credentialsText);
  if (isAny)
    return (
      <Empty icon={KeyRound} title={text.noneSuch}>
        {text.noneSuchText}
      </Empty>
    );
  const action = mayWrite && (
    <Button variant="primary" icon={Plus} onClick={onMake}>
      {text.newKey}
    </Button>
  );
  return (
    <Empty icon={KeyRound} title={text.noKeys} action={action}>
      {text.noKeysText}
    </Empty>
  );
}

function useColumns(): readonly Column<Key>[] {
  const text = useText(credentialsText);
  return [
    { id: 'name', title: text.name, width: 'minmax(8rem, 2fr)', cell: ({ name }) => name },
    {
      id: 'secret',
      title: text.secret.key,
      from: 'md',
      cell: ({ preview }) => <code className="font-mono text-sm">{preview}</code>,
    },
    { id: 'state', title: text.state, from: 'sm', width: '6rem', cell: ({ state }) => <StateBadge state={state} /> },
    {
      id: 'spent',
      title: text.spent,
      align: 'end',
      width: 'minmax(7rem, 1fr)',
      cell: ({ spent_usd, limit_usd }) => (
        <>
          <Money usd={spent_usd} />
          {limit_usd !== null && (
            <span className="text-soft text-sm">
              {' / '}
              <Money usd={limit_usd} />
            </span>
          )}
        </>
      ),
    },
    {
      id: 'used',
      title: text.lastUsed,
      from: 'sm',
      width: 'minmax(8rem, 1fr)',
      cell: ({ last_used_at }) =>
        last_used_at === null ? (
          <span className="text-soft">{text.neverUsed}</span>
        ) : (
          <Time at={last_used_at} isRelative />
        ),
    },
    {
      id: 'expires',
      title: text.expires,
      from: 'lg',
      width: 'minmax(8rem, 1fr)',
      cell: ({ expires_at }) =>
        expires_at === null ? <span className="text-soft">{text.never}</span> : <Time at={expires_at} isRelative />,
    },
  ];
}
