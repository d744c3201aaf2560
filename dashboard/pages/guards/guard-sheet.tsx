import { Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import type { CreateGuardRequest, Guard } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { ConfirmDialog, Dialog, Sheet } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { ManagedNotice } from '../shared/credentials/parts.tsx';
import { GuardFields } from './guard-fields.tsx';
import { bodyOf, FIELD_OF, valuesOf } from './guard-values.ts';
import { TryGuard } from './try-guard.tsx';

const TOUCHES = ['listGuards', 'getGuard'] as const;

interface NewGuardProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewGuard({ isOpen, onClose }: NewGuardProps) {
  const text = useText(guardsText);
  return (
    <Dialog title={text.create} description={text.applyTo} isOpen={isOpen} onClose={onClose} isSticky>
      <Making onClose={onClose} />
    </Dialog>
  );
}

function Making({ onClose }: Pick<NewGuardProps, 'onClose'>) {
  const text = useText(guardsText);
  const toast = useToast();
  const create = useChange('createGuard', { touches: TOUCHES });
  const form = useApiForm({
    defaultValues: valuesOf(null),
    fieldOf: FIELD_OF,
    send: async (values) => {
      // The gateway reports a webhook without an address or a secret.
      const body = { id: values.id.trim(), ...bodyOf(values) } as CreateGuardRequest;
      const { name } = await create.mutateAsync({ body });
      toast.done(text.created(name));
      onClose();
    },
  });
  return (
    <Form form={form}>
      <Field label={text.id} help={text.idHelp} error={form.errorOf('id')} isRequired>
        <TextInput isCode maxLength={64} {...form.register('id')} />
      </Field>
      <GuardFields form={form} webhookHost={null} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.create} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}

interface GuardSheetProps {
  /** `''` while closed. */
  readonly id: string;
  readonly onClose: () => void;
}

export function GuardSheet({ id, onClose }: GuardSheetProps) {
  const text = useText(guardsText);
  const read = useTagged('getGuard', { params: { id } }, { enabled: id !== '' });
  return (
    <Sheet
      title={read.data?.value.name ?? text.edit}
      description={<CopyText text={id} />}
      isOpen={id !== ''}
      onClose={onClose}
      isSticky
    >
      {read.error && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.isLoading && <Loading />}
      {id !== '' && read.data && <Shown tagged={read.data} onClose={onClose} />}
    </Sheet>
  );
}

interface ShownProps {
  readonly tagged: Tagged<Guard>;
  readonly onClose: () => void;
}

function Shown({ tagged, onClose }: ShownProps) {
  const { value: guard, etag } = tagged;
  const managedBy = guard.managed_by ?? 'api';
  return (
    <div className="flex flex-col gap-4">
      <ManagedNotice by={managedBy} />
      <TryGuard guard={guard} />
      <Changing key={etag} tagged={tagged} isFixed={managedBy !== 'api'} onClose={onClose} />
    </div>
  );
}

/** @param isFixed whether it is only shown, since it is changed elsewhere */
function Changing({ tagged: { value: guard, etag }, isFixed, onClose }: ShownProps & { readonly isFixed: boolean }) {
  const text = useText(guardsText);
  const toast = useToast();
  const formId = useId();
  const [isAsking, setAsking] = useState(false);
  const params = { id: guard.id };
  const update = useChange('updateGuard', { touches: TOUCHES });
  const remove = useChange('deleteGuard', { touches: ['listGuards'] });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: valuesOf(guard),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const change = update.mutateAsync({ params, body: bodyOf(values), ifMatch: etag });
      if (await changeOfShown(change, TOUCHES)) toast.done(text.saved);
    },
  });
  return (
    <>
      <Form form={form} id={formId}>
        <fieldset disabled={isFixed} className="flex min-w-0 flex-col gap-4">
          <GuardFields form={form} webhookHost={guard.webhook?.url_preview ?? null} />
        </fieldset>
        <FormError error={form.formError} />
        {!isFixed && (
          <FormActions submitLabel={text.save} isBusy={form.isBusy}>
            <Button icon={Trash2} onClick={() => setAsking(true)}>
              {text.remove}
            </Button>
          </FormActions>
        )}
      </Form>
      <ConfirmDialog
        title={text.removeTitle(guard.name)}
        body={<p>{text.removeText}</p>}
        confirmLabel={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params });
          toast.done(text.deleted(guard.name));
          onClose();
        }}
      />
    </>
  );
}
