import { useId } from 'react';
import { useChange } from '../../api/use-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { bodyOf, FIELD_OF, KeyFields, valuesOf } from './key-fields.tsx';

interface NewKeyProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: ShownSecret) => void;
}

export function NewKey({ isOpen, onClose, onMade }: NewKeyProps) {
  const text = useText(credentialsText);
  const id = useId();
  return (
    <Dialog title={text.newKey} isOpen={isOpen} onClose={onClose} isSticky>
      <Making id={id} onClose={onClose} onMade={onMade} />
    </Dialog>
  );
}

/** Mounted anew with each dialog, so that it begins empty. */
function Making({ id, onClose, onMade }: Omit<NewKeyProps, 'isOpen'> & { readonly id: string }) {
  const text = useText(credentialsText);
  const { timeZone } = useFormat();
  const { query } = useScope();
  const create = useChange('createKey', { touches: ['listKeys', 'listKeyLimits'] });
  const form = useApiForm({
    defaultValues: valuesOf(null, timeZone),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const { name, secret } = await create.mutateAsync({ query, body: bodyOf(values) });
      onClose();
      if (secret !== null) onMade({ name, secret });
    },
  });
  return (
    <Form form={form} id={id}>
      <KeyFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.create} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
