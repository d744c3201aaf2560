import type { Tagged } from '../../api/client.ts';
import type { AlertWebhook } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Switch } from '../../kit/choice.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Definitions } from '../../kit/panel.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { ManagedNotice, type ShownSecret } from '../shared/credentials/parts.tsx';
import { type AddressWarning, warningOf } from './address-warning.ts';
import { addressKey, placeOf, useMayChange } from './place.ts';
import { TargetActions } from './target-actions.tsx';

interface TargetSheetProps {
  readonly target: AlertWebhook | undefined;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
  readonly warning: AddressWarning | null;
  readonly onWarning: (warning: AddressWarning | null) => void;
}

export function TargetSheet({ target, onClose, ...rest }: TargetSheetProps) {
  const text = useText(alertsText);
  const { account = null, id = '' } = target ?? {};
  const read = useTagged(
    'getAlertWebhook',
    { params: { id }, query: placeOf(account) },
    { enabled: target !== undefined },
  );
  return (
    <Sheet title={target?.name ?? text.target} isOpen={target !== undefined} onClose={onClose}>
      {read.error && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.isLoading && <Loading />}
      {read.data && target && <Shown key={read.data.etag} tagged={read.data} onClose={onClose} {...rest} />}
    </Sheet>
  );
}

interface ShownProps extends Omit<TargetSheetProps, 'target'> {
  readonly tagged: Tagged<AlertWebhook>;
}

function Shown({ tagged, onClose, onSecret, warning, onWarning }: ShownProps) {
  const text = useText(alertsText);
  const target = tagged.value;
  const mayChange = useMayChange()(target.account);
  const managedBy = target.managed_by === 'api' ? 'api' : 'file';
  return (
    <div className="flex flex-col gap-4">
      <Definitions
        items={[
          { term: text.kind, value: text.targetTypes[target.type] },
          { term: text.address, value: target.url_preview ?? target.mail },
        ]}
      />
      <Troubles target={target} />
      {warning?.target === addressKey(target) && (
        <Notice tone="warn" isLive>
          {warning.text}
        </Notice>
      )}
      <ManagedNotice by={managedBy} />
      {!mayChange && <Notice tone="neutral">{text.ownersOnly}</Notice>}
      {mayChange && (
        <TargetActions target={target} isFixed={managedBy !== 'api'} onGone={onClose} onSecret={onSecret} />
      )}
      {mayChange && managedBy === 'api' && <Changing tagged={tagged} onWarning={onWarning} />}
    </div>
  );
}

function Troubles({ target }: { readonly target: AlertWebhook }) {
  const text = useText(alertsText);
  const format = useFormat();
  const { disabled_at: disabledAt, disabled_reason: reason, failing_since: since } = target;
  const { previous_secret_until: until } = target;
  return (
    <>
      {disabledAt !== null && <Notice tone="bad">{text.givenUpText(reason ?? format.time(disabledAt))}</Notice>}
      {disabledAt === null && since !== null && <Notice tone="warn">{text.failingSince(format.time(since))}</Notice>}
      {until !== null && <Notice tone="neutral">{text.oldSecret(format.time(until))}</Notice>}
    </>
  );
}

const TOUCHES = ['listAlertWebhooks', 'getAlertWebhook'] as const;

interface ChangingProps extends Pick<ShownProps, 'onWarning'> {
  readonly tagged: Tagged<AlertWebhook>;
}

function Changing({ tagged: { value: target, etag }, onWarning }: ChangingProps) {
  const text = useText(alertsText);
  const toast = useToast();
  const update = useChange('updateAlertWebhook', { touches: TOUCHES });
  const changeOfShown = useChangeOfShown();
  const isMail = target.type === 'mail';
  const form = useApiForm({
    defaultValues: { name: target.name, enabled: target.enabled, url: '', mail: target.mail ?? '' },
    send: async ({ name, enabled, url, mail }) => {
      const address = isMail ? { mail: mail.trim() } : url.trim() === '' ? {} : { url: url.trim() };
      const change = update.mutateAsync({
        params: { id: target.id },
        query: placeOf(target.account),
        body: { ...(name.trim() !== '' && { name: name.trim() }), enabled, ...address },
        ifMatch: etag,
      });
      if (!(await changeOfShown(change, TOUCHES))) return;
      const changed = await change;
      if ('url' in address) onWarning(warningOf(changed, changed.warning));
      toast.done(text.saved);
    },
  });
  const { register, errorOf } = form;
  return (
    <Form form={form}>
      <Field label={text.name} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      {isMail ? (
        <Field label={text.mail} error={errorOf('mail')}>
          <TextInput type="email" {...register('mail')} />
        </Field>
      ) : (
        <Field label={text.url} help={text.urlKept} error={errorOf('url')}>
          <TextInput isCode type="url" placeholder={target.url_preview ?? ''} {...register('url')} />
        </Field>
      )}
      <Switch label={text.enabled} {...register('enabled')} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}
