import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DefaultValues, FieldValues, Path } from 'react-hook-form';
import type { ApiError, OperationId, Tagged } from '../../../api/client.ts';
import { Sheet } from '../../../kit/dialog.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../../kit/form.tsx';
import { Time, useFormat } from '../../../kit/format.tsx';
import { type Definition, Definitions } from '../../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../../kit/status.tsx';
import { useToast } from '../../../kit/toast.tsx';
import { credentialsText } from '../../../text/credentials.ts';
import { useText } from '../../../text/text.tsx';
import { useChangeOfShown } from '../changed-meanwhile.ts';
import { type Creator, CreatorName } from '../creator.tsx';
import { type CredentialKind, type CredentialState, ManagedNotice, StateBadge } from './parts.tsx';

/** The members that keys and tokens have in common. */
interface Credential {
  readonly id: string;
  readonly name: string;
  readonly state: CredentialState;
  readonly managed_by: 'file' | 'environment' | 'api';
  readonly preview: string;
  readonly created_at: string;
  readonly created_by: Creator | null;
  readonly last_used_at: string | null;
  readonly previous_secret_expires_at: string | null;
}

interface CredentialSheetProps<One extends Credential> {
  /** Undefined while closed. */
  readonly id: string | undefined;
  readonly read: UseQueryResult<Tagged<One>, ApiError>;
  readonly onClose: () => void;
  /** Rendered again with each version, so that a form starts with current values. */
  readonly children: (tagged: Tagged<One>) => ReactNode;
}

/** One key or token beside the list. */
export function CredentialSheet<One extends Credential>({ id, read, onClose, children }: CredentialSheetProps<One>) {
  const text = useText(credentialsText);
  return (
    <Sheet title={read.data?.value.name ?? text.details} isOpen={id !== undefined} onClose={onClose}>
      {read.error && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.isLoading && <Loading />}
      {read.data && (
        <div key={read.data.etag} className="flex flex-col gap-5">
          {children(read.data)}
        </div>
      )}
    </Sheet>
  );
}

export function isChangeable({ state, managed_by }: Pick<Credential, 'state' | 'managed_by'>): boolean {
  return state !== 'revoked' && managed_by === 'api';
}

interface CredentialFactsProps {
  readonly kind: CredentialKind;
  readonly item: Credential;
  /** Facts before the times of creation and last use. */
  readonly more?: readonly Definition[];
}

/** The facts of a credential, and why it cannot be changed here or has two secrets, if so. */
export function CredentialFacts({ kind, item, more = [] }: CredentialFactsProps) {
  const text = useText(credentialsText);
  const format = useFormat();
  const { previous_secret_expires_at: grace, last_used_at: lastUsed } = item;
  return (
    <>
      <ManagedNotice by={item.managed_by} />
      {grace !== null && <Notice tone="neutral">{text.oldSecret[kind](format.time(grace))}</Notice>}
      <Definitions
        items={[
          { term: text.state, value: <StateBadge state={item.state} /> },
          { term: text.secret[kind], value: <code className="font-mono">{item.preview}</code> },
          { term: text.id, value: <code className="break-all font-mono">{item.id}</code> },
          ...more,
          { term: text.created, value: <Time at={item.created_at} /> },
          { term: text.createdBy, value: <CreatorName creator={item.created_by} /> },
          { term: text.lastUsed, value: lastUsed === null ? text.neverUsed : <Time at={lastUsed} /> },
        ]}
      />
    </>
  );
}

/** A form with the members of a credential. */
export interface CredentialForm<Values extends FieldValues> {
  readonly defaultValues: DefaultValues<Values>;
  readonly fieldOf: Readonly<Record<string, Path<Values>>>;
  readonly fields: (form: ApiForm<Values>) => ReactNode;
}

interface ChangeCredentialProps<Values extends FieldValues> extends CredentialForm<Values> {
  readonly change: (values: Values) => Promise<{ readonly name: string }>;
  /** The operations to refresh if somebody else has changed it meanwhile. */
  readonly reads: readonly OperationId[];
}

/** Changes the displayed credential, unless somebody else has changed it meanwhile. */
export function ChangeCredential<Values extends FieldValues>(props: ChangeCredentialProps<Values>) {
  const { change, reads, fields, ...rest } = props;
  const text = useText(credentialsText);
  const toast = useToast();
  const changeOfShown = useChangeOfShown();
  const form = useApiForm<Values>({
    ...rest,
    send: async (values) => {
      const changing = change(values);
      if (await changeOfShown(changing, reads)) toast.done(text.saved);
    },
  });
  return (
    <Form form={form}>
      {fields(form)}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}
