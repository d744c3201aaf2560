import { KeyRound } from 'lucide-react';
import { Button } from '../../kit/button.tsx';
import { Switch } from '../../kit/choice.tsx';
import { CopyButton } from '../../kit/copy.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { guardsText } from '../../text/guards.ts';
import { useText } from '../../text/text.tsx';
import { Asked, type GuardForm } from './choice.tsx';
import { newSecret } from './guard-values.ts';

interface WebhookFieldsProps {
  readonly form: GuardForm;
  /** The host of the webhook that exists, whose address and secret are never shown; `null` for none. */
  readonly host: string | null;
}

export function WebhookFields({ form, host }: WebhookFieldsProps) {
  const text = useText(guardsText);
  const { register, errorOf, watch, setValue } = form;
  const isUsed = watch('webhook.isUsed');
  const secret = watch('webhook.secret');
  const isNew = host === null;
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium text-sm">{text.webhook}</legend>
      <Switch label={text.useWebhook} {...register('webhook.isUsed')} />
      {isUsed && (
        <>
          <Field
            label={text.url}
            help={isNew ? undefined : text.urlKept(host)}
            error={errorOf('webhook.url')}
            isRequired={isNew}
          >
            <TextInput isCode type="url" placeholder="https://" {...register('webhook.url')} />
          </Field>
          <div className="flex flex-col gap-2">
            <Field
              label={text.secret}
              help={isNew || secret !== '' ? text.secretHelp : text.secretKept}
              error={errorOf('webhook.secret')}
              isRequired={isNew}
            >
              <TextInput isCode placeholder="whsec_…" {...register('webhook.secret')} />
            </Field>
            <div className="flex flex-wrap items-center gap-2">
              <Button
                size="small"
                icon={KeyRound}
                onClick={() => setValue('webhook.secret', newSecret(), { shouldDirty: true })}
              >
                {text.newSecret}
              </Button>
              {secret !== '' && <CopyButton text={secret} />}
            </div>
          </div>
          <div className="grid items-start gap-3 sm:grid-cols-2">
            <Asked form={form} name="webhook" />
          </div>
        </>
      )}
    </fieldset>
  );
}
