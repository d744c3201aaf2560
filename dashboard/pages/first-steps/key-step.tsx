import { useState } from 'react';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { SecretBox } from '../../kit/secret.tsx';
import { Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import type { Progress } from './progress.ts';

interface KeyStepProps {
  readonly progress: Progress;
  /** The secret that was created here before. */
  readonly secret: string | null;
  readonly onMade: (secret: string) => void;
}

export function KeyStep({ progress: { keys, printedKey, done }, secret, onMade }: KeyStepProps) {
  const text = useText(firstStepsText);
  const [isMaking, setMaking] = useState(!done.key);
  const isShown = isMaking && secret === null;
  return (
    <>
      <p className="text-soft text-sm">{text.keyAbout}</p>
      {secret !== null && <SecretBox secret={secret} what={text.what} />}
      {isShown && printedKey && <Notice tone="neutral">{text.firstKey(printedKey.preview)}</Notice>}
      {isShown && <KeyForm onMade={onMade} />}
      {!isMaking && secret === null && (
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p>{text.keysThere(keys.length)}</p>
          <Button onClick={() => setMaking(true)}>{text.makeAnother}</Button>
        </div>
      )}
    </>
  );
}

function KeyForm({ onMade }: { readonly onMade: (secret: string) => void }) {
  const text = useText(firstStepsText);
  const { query } = useScope();
  const create = useChange('createKey', { touches: ['listKeys', 'listKeyLimits'] });
  const form = useApiForm({
    defaultValues: { name: text.keyNameValue },
    send: async ({ name }) => {
      const { secret } = await create.mutateAsync({ query, body: { name } });
      if (secret !== null) onMade(secret);
    },
  });
  return (
    <Form form={form}>
      <Field label={text.keyName} help={text.keyNameHelp} error={form.errorOf('name')} className="max-w-md">
        <TextInput maxLength={200} {...form.register('name')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeKey} isBusy={form.isBusy} />
    </Form>
  );
}
