import { Download, FileText, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { addressOf } from '../../api/client.ts';
import type { ManagedFile } from '../../api/schema.ts';
import { useApi, useChange, useList } from '../../api/use-api.ts';
import { Button, FileButton } from '../../kit/button.tsx';
import { Segmented } from '../../kit/choice.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { ConfirmDialog, Sheet } from '../../kit/dialog.tsx';
import { Time, useFormat } from '../../kit/format.tsx';
import { Named, NamedInFull } from '../../kit/named.tsx';
import { type Definition, Definitions } from '../../kit/panel.tsx';
import { Empty, ErrorBox, Loading } from '../../kit/status.tsx';
import { type Column, DataTable } from '../../kit/table.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { batchesText } from '../../text/batches.ts';
import { useText } from '../../text/text.tsx';
import { AccountFilter } from './account-filter.tsx';

const PURPOSES = ['batch', 'batch_output'] as const;

/** The inputs and outputs of batches. */
export function FileList() {
  const text = useText(batchesText);
  const { query } = useScope();
  const { values, set } = useSearchState(['id', 'purpose', 'account']);
  const purpose = PURPOSES.find((one) => one === values.purpose);
  const wanted = {
    ...(values.account !== '' && { account_id: values.account }),
    ...query,
    ...(purpose && { purpose }),
  };
  const files = useList('listManagedFiles', { query: wanted }, { every: 20_000 });
  return (
    <>
      <div className="mb-3 flex flex-wrap gap-2">
        <Segmented
          label={text.purpose}
          value={purpose ?? 'all'}
          onChange={(next) => set({ purpose: next === 'all' ? '' : next })}
          options={[
            { value: 'all', label: text.anyPurpose },
            ...PURPOSES.map((value) => ({ value, label: text.purposes[value] })),
          ]}
        />
        <AccountFilter value={values.account} onChange={(account) => set({ account })} />
      </div>
      <DataTable
        label={text.files}
        columns={useColumns()}
        rows={files}
        keyOf={({ id }) => id}
        onOpen={({ id }) => set({ id }, false)}
        openKey={values.id}
        empty={
          <Empty icon={FileText} title={text.noFiles}>
            {text.noFilesText}
          </Empty>
        }
      />
      <Sheet
        title={text.file}
        description={<CopyText text={values.id} label={text.copyFileId} />}
        isOpen={values.id !== ''}
        onClose={() => set({ id: '' })}
      >
        {values.id !== '' && <File key={values.id} id={values.id} onGone={() => set({ id: '' })} />}
      </Sheet>
    </>
  );
}

function useColumns(): readonly Column<ManagedFile>[] {
  const text = useText(batchesText);
  const format = useFormat();
  const { accountId } = useScope();
  const ofAccount: Column<ManagedFile> = {
    ...{ id: 'account', title: text.account, from: 'md', width: 'minmax(5.5rem, 1fr)' },
    cell: ({ account, account_name: name }) => <Named name={name} id={account} />,
  };
  return [
    {
      ...{ id: 'name', title: text.file, width: 'minmax(8rem, 2fr)' },
      cell: ({ name, id }) => <span title={name}>{name === '' ? id : name}</span>,
    },
    ...(accountId === null ? [ofAccount] : []),
    { id: 'purpose', title: text.purpose, from: 'sm', width: '6rem', cell: ({ purpose }) => text.purposes[purpose] },
    {
      ...{ id: 'size', title: text.size, width: '6.5rem', align: 'end' },
      cell: ({ bytes }) => format.bytes(bytes),
    },
    {
      ...{ id: 'created', title: text.created, from: 'md', width: '7.5rem' },
      cell: ({ created_at }) => <Time at={created_at} isRelative />,
    },
    {
      ...{ id: 'expires', title: text.deleted, from: 'sm', width: '7.5rem' },
      cell: ({ expires_at: at }) => (at === null ? text.never : <Time at={at} isRelative />),
    },
  ];
}

interface FileProps {
  readonly id: string;
  readonly onGone: () => void;
}

function File({ id, onGone }: FileProps) {
  const text = useText(batchesText);
  const { query, mayWrite, isMember } = useScope();
  const { data: file, error, refetch } = useApi('getManagedFile', { params: { id }, query });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (file === undefined) return <Loading />;
  return (
    <div className="flex flex-col gap-4">
      {mayWrite && (
        <div className="flex flex-wrap gap-2">
          <FileButton size="small" icon={Download} href={addressOf('getManagedFileContent', { params: { id }, query })}>
            {text.downloadFile}
          </FileButton>
          <DeleteFile id={id} onGone={onGone} />
        </div>
      )}
      {mayWrite && !isMember && <p className="text-soft text-sm">{text.audited}</p>}
      <FileFacts file={file} />
    </div>
  );
}

function DeleteFile({ id, onGone }: FileProps) {
  const text = useText(batchesText);
  const toast = useToast();
  const { query } = useScope();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange('deleteManagedFile', { touches: ['listManagedFiles'] });
  return (
    <>
      <Button size="small" icon={Trash2} onClick={() => setAsking(true)}>
        {text.remove}
      </Button>
      <ConfirmDialog
        title={text.removeTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isDanger
        confirmLabel={text.remove}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { id }, query });
          toast.done(text.fileDeleted);
          onGone();
        }}
        body={<p>{text.removeText}</p>}
      />
    </>
  );
}

function FileFacts({ file }: { readonly file: ManagedFile }) {
  const text = useText(batchesText);
  const format = useFormat();
  const { accountId } = useScope();
  const { account, account_name: accountName, key, key_name: keyName, expires_at: expires } = file;
  const items: readonly (Definition | false)[] = [
    { term: text.file, value: file.name },
    { term: text.purpose, value: text.purposes[file.purpose] },
    { term: text.size, value: format.bytes(file.bytes) },
    accountId === null && { term: text.account, value: <NamedInFull name={accountName} id={account} /> },
    key !== null && { term: text.key, value: <NamedInFull name={keyName} id={key} /> },
    { term: text.created, value: <Time at={file.created_at} /> },
    { term: text.deleted, value: expires === null ? text.never : <Time at={expires} /> },
  ];
  return <Definitions items={items.filter((item) => item !== false)} />;
}
