import type { FieldValues } from 'react-hook-form';
import { Dialog } from '../../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../../kit/form.tsx';
import { credentialsText } from '../../../text/credentials.ts';
import { useText } from '../../../text/text.tsx';
import type { ShownSecret } from './parts.tsx';
import type { CredentialForm } from './sheet.tsx';

export interface NewCredentialProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: ShownSecret) => void;
}

interface MakingProps<Values extends FieldValues> extends NewCredentialProps, CredentialForm<Values> {
  readonly title: string;
  readonly create: (values: Values) => Promise<{ readonly name: string; readonly secret: string | null }>;
}

/** Asks for the properties of a new key or token, and creates it. */
export function NewCredential<Values extends FieldValues>({ title, isOpen, ...making }: MakingProps<Values>) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={making.onClose} isSticky>
      <Making {...making} />
    </Dialog>
  );
}

/** Mounted again with each dialog, so that it starts empty. */
function Making<Values extends FieldValues>(props: Omit<MakingProps<Values>, 'title' | 'isOpen'>) {
  const { create, fields, onClose, onMade, ...rest } = props;
  const text = useText(credentialsText);
  const form = useApiForm<Values>({
    ...rest,
    send: async (values) => {
      const { name, secret } = await create(values);
      onClose();
      if (secret !== null) onMade({ name, secret });
    },
  });
  return (
    <Form form={form}>
      {fields(form)}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.create} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
