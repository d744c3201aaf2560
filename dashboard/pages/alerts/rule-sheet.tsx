import { Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import type { Tagged } from '../../api/client.ts';
import type { AlertRule } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog, Dialog, Sheet } from '../../kit/dialog.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { ManagedNotice } from '../shared/credentials/parts.tsx';
import { conditionSentence } from './condition.ts';
import { placeOf, useMayChange } from './place.ts';
import { RuleFields } from './rule-fields.tsx';
import { bodyOf, FIELD_OF, valuesOf } from './rule-values.ts';

const TOUCHES = ['listAlertRules', 'getAlertRule', 'listActiveAlerts'] as const;

interface NewRuleProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewRule({ isOpen, onClose }: NewRuleProps) {
  const text = useText(alertsText);
  return (
    <Dialog title={text.newRule} isOpen={isOpen} onClose={onClose} isSticky>
      <Making onClose={onClose} />
    </Dialog>
  );
}

function Making({ onClose }: { readonly onClose: () => void }) {
  const text = useText(alertsText);
  const { query, accountId } = useScope();
  const toast = useToast();
  const create = useChange('createAlertRule', { touches: TOUCHES });
  const form = useApiForm({
    defaultValues: valuesOf(null),
    fieldOf: FIELD_OF,
    send: async (values) => {
      await create.mutateAsync({ query, body: bodyOf(values, accountId === null) });
      toast.done(text.saved);
      onClose();
    },
  });
  return (
    <Form form={form}>
      <RuleFields form={form} account={accountId} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeRule} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}

interface RuleSheetProps {
  readonly rule: AlertRule | undefined;
  readonly onClose: () => void;
}

export function RuleSheet({ rule, onClose }: RuleSheetProps) {
  const text = useText(alertsText);
  const { account = null, id = '' } = rule ?? {};
  const read = useTagged('getAlertRule', { params: { id }, query: placeOf(account) }, { enabled: rule !== undefined });
  return (
    <Sheet title={rule?.name ?? text.editRule} isOpen={rule !== undefined} onClose={onClose}>
      {read.error && <ErrorBox error={read.error} onRetry={() => void read.refetch()} />}
      {read.isLoading && <Loading />}
      {read.data && rule && <Shown key={read.data.etag} tagged={read.data} onClose={onClose} />}
    </Sheet>
  );
}

interface ShownProps {
  readonly tagged: Tagged<AlertRule>;
  readonly onClose: () => void;
}

function Shown({ tagged, onClose }: ShownProps) {
  const text = useText(alertsText);
  const format = useFormat();
  const rule = tagged.value;
  const mayChange = useMayChange()(rule.account);
  const managedBy = rule.managed_by === 'api' ? 'api' : 'file';
  return (
    <div className="flex flex-col gap-4">
      <p>{conditionSentence(rule, text, format)}</p>
      <ManagedNotice by={managedBy} />
      {!mayChange && <Notice tone="neutral">{text.ownersOnly}</Notice>}
      {mayChange && managedBy === 'api' && <Changing tagged={tagged} onClose={onClose} />}
    </div>
  );
}

/** Returns the names of the rule's accounts, by id. */
function accountNamesOf({ accounts, account_names: names }: AlertRule): ReadonlyMap<string, string> {
  return new Map((accounts ?? []).map((id, place) => [id, names?.[place] ?? id]));
}

function Changing({ tagged: { value: rule, etag }, onClose }: ShownProps) {
  const text = useText(alertsText);
  const toast = useToast();
  const id = useId();
  const [isAsking, setAsking] = useState(false);
  const place = { params: { id: rule.id }, query: placeOf(rule.account) };
  const update = useChange('updateAlertRule', { touches: TOUCHES });
  const remove = useChange('deleteAlertRule', { touches: ['listAlertRules', 'listActiveAlerts'] });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm({
    defaultValues: valuesOf(rule),
    fieldOf: FIELD_OF,
    send: async (values) => {
      const body = bodyOf(values, rule.account === null);
      if (await changeOfShown(update.mutateAsync({ ...place, body, ifMatch: etag }), TOUCHES)) toast.done(text.saved);
    },
  });
  return (
    <>
      <Form form={form} id={id}>
        <RuleFields form={form} account={rule.account} accountNames={accountNamesOf(rule)} />
        <FormError error={form.formError} />
        <FormActions submitLabel={text.save} isBusy={form.isBusy}>
          <Button icon={Trash2} onClick={() => setAsking(true)}>
            {text.remove}
          </Button>
        </FormActions>
      </Form>
      <ConfirmDialog
        title={text.removeRule(rule.name)}
        body={text.removeRuleText}
        confirmLabel={text.remove}
        isDanger
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => {
          await remove.mutateAsync(place);
          toast.done(text.removed);
          onClose();
        }}
      />
    </>
  );
}
