import { useMemo } from 'react';
import { ApiError } from '../../api/client.ts';
import { useApi, useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useAccountId, useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { playgroundText } from '../../text/playground.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { ChatTab } from './chat/chat-tab.tsx';
import { useModels } from './models.ts';
import { type OperationId, OperationTab } from './operations/operation-tab.tsx';
import type { Payer } from './wire/call.ts';

/** Stands for the account's own playground key in the select. */
const OWN = '';

export function Page() {
  const words = useText(shellText);
  const text = useText(playgroundText);
  const accountId = useAccountId();
  const { mayWrite, isMember } = useScope();
  const { values, set } = useSearchState(['key']);
  const keyId = values.key;
  const payer = useMemo(() => ({ accountId, keyId: keyId === OWN ? null : keyId }), [accountId, keyId]);
  if (!mayWrite) {
    return (
      <>
        <PageHeader title={words.pages.playground} />
        <Notice tone="neutral">{text.viewersMayNot}</Notice>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title={words.pages.playground}
        description={text.about}
        actions={<KeySelect value={keyId} onChange={(key) => set({ key })} />}
      />
      {!isMember && payer.keyId === null && <Notice tone="neutral">{text.chooseKey}</Notice>}
      <Tools payer={payer} isMember={isMember} />
    </>
  );
}

function KeySelect({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const text = useText(playgroundText);
  const { query } = useScope();
  const { data } = useApi('listKeys', { query: { ...query, limit: 100 } });
  const keys = (data?.data ?? []).filter(({ id, state }) => state === 'active' && !/^playground(-\d+)?$/.test(id));
  return (
    <Select
      label={text.key}
      className="w-60"
      value={value}
      onChange={onChange}
      options={[
        { value: OWN, label: text.ownKey, detail: text.ownKeyDetail },
        ...keys.map(({ id, name }) => ({ value: id, label: name === '' ? id : name, detail: id })),
      ]}
    />
  );
}

/** A revoked key is replaced only on request. */
function NewKey({ accountId, onMade }: { readonly accountId: string; readonly onMade: () => void }) {
  const text = useText(playgroundText);
  const make = useChange('createPlaygroundKey', { touches: ['listKeys'], onDone: onMade });
  return (
    <>
      <Button isBusy={make.isPending} onClick={() => make.mutate({ query: { account_id: accountId } })}>
        {text.newKey}
      </Button>
      {make.error && <ErrorBox error={make.error} />}
    </>
  );
}

const OPERATIONS = {
  images: ['images.generations', 'images.edits'],
  speech: ['audio.speech'],
  transcription: ['audio.transcriptions', 'audio.translations'],
  embeddings: ['embeddings'],
  rerank: ['rerank'],
  moderations: ['moderations'],
  video: ['videos.generations'],
  music: ['music.generations'],
  '3d': ['3d.generations'],
} as const satisfies Readonly<Record<string, readonly OperationId[]>>;
type TabId = 'chat' | keyof typeof OPERATIONS;

const TABS: readonly TabId[] = ['chat', ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])];

function Tools({ payer, isMember }: { readonly payer: Payer; readonly isMember: boolean }) {
  const text = useText(playgroundText);
  const address = useSearchState(['tab', 'model', 'model2', 'operation']);
  const { data: models, error, refetch } = useModels(payer);
  if (error) {
    const isKeyGone = payer.keyId === null && error instanceof ApiError && error.param === 'key_id';
    return (
      <div className="flex flex-col items-start gap-3">
        <ErrorBox error={error} onRetry={() => void refetch()} />
        {isKeyGone && isMember && <NewKey accountId={payer.accountId} onMade={() => void refetch()} />}
      </div>
    );
  }
  if (!models) return <Loading />;
  return (
    <Tabs<TabId>
      label={text.kinds}
      value={TABS.find((id) => id === address.values.tab) ?? 'chat'}
      // A model for one kind of request does not suit another.
      onChange={(tab) => address.set({ tab: tab === 'chat' ? '' : tab, model: '', model2: '', operation: '' })}
      tabs={TABS.map((value) => ({
        value,
        label: text.tabs[value],
        content:
          value === 'chat' ? (
            <ChatTab models={models} payer={payer} />
          ) : (
            <OperationTab operations={OPERATIONS[value]} models={models} payer={payer} />
          ),
      }))}
    />
  );
}
