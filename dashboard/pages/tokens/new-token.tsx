import { useChange } from '../../api/use-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { bodyOf, FIELD_OF, TokenFields, valuesOf } from './token-fields.tsx';

interface NewTokenProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: ShownSecret) => void;
}

export function NewToken({ isOpen, onClose, onMade }: NewTokenProps) {
  const text = useText(credentialsText);
  return (
    <Dialog title={text.newToken} isOpen={isOpen} onClose={onClose} isSticky>
      <Making onClose={onClose} onMade={onMade} />
    </Dialog>
  );
}

function Making({ onClose, onMade }: Omit<NewTokenProps, 'isOpen'>) {
  const text = useText(credentialsText);
  const { query } = useScope();
  const create = useChange('createToken', { touches: ['listTokens'] });
  const form = useApiForm({
    defaultValues: valuesOf(null),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const { name, secret } = await create.mutateAsync({ query, body: bodyOf(values) });
      onClose();
      if (secret !== null) onMade({ name, secret });
    },
  });
  return (
    <Form form={form}>
      <TokenFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.create} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
