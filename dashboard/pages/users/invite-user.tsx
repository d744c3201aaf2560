import { Controller } from 'react-hook-form';
import { useChange } from '../../api/use-api.ts';
import { RadioCards } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { AccountPicker } from '../shared/account-picker.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';

const ROLES = ['member', 'viewer', 'owner'] as const;
const WAYS = ['account', 'operator'] as const;

interface InviteUserProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onLink: (link: ShownSecret) => void;
}

export function InviteUser({ isOpen, ...rest }: InviteUserProps) {
  const text = useText(usersText);
  return (
    <Dialog title={text.invite} description={text.inviteText} isOpen={isOpen} onClose={rest.onClose} isSticky>
      <InviteForm {...rest} />
    </Dialog>
  );
}

interface InviteValues {
  way: (typeof WAYS)[number];
  email: string;
  account: string | undefined;
  role: (typeof ROLES)[number];
}

function InviteForm({ onClose, onLink }: Omit<InviteUserProps, 'isOpen'>) {
  const text = useText(usersText);
  const toast = useToast();
  const invite = useChange('createInvitation', { touches: ['listInvitations', 'listAudit'] });
  const form = useApiForm<InviteValues>({
    defaultValues: { way: 'account', email: '', account: undefined, role: 'member' },
    fieldOf: { account_id: 'account' },
    send: async ({ way, email, account, role }) => {
      const to = email.trim() === '' ? {} : { email: email.trim() };
      const made = await invite.mutateAsync(
        way === 'operator' || account === undefined
          ? { body: { ...to, operator: true } }
          : { query: { account_id: account }, body: { ...to, role } },
      );
      if (made.mailed === true) toast.done(text.mailed(email.trim()));
      onClose();
      if (made.link !== null) onLink({ name: made.email ?? text.theInvitation, secret: made.link });
    },
  });
  const ways = [
    { value: 'account' as const, label: text.toAccount, detail: text.toAccountText },
    { value: 'operator' as const, label: text.asOperator, detail: text.asOperatorText },
  ];
  const roles = ROLES.map((value) => ({ value, label: text.roles[value], detail: text.rolesAbout[value] }));
  const isToAccount = form.watch('way') === 'account';
  return (
    <Form form={form}>
      <Field label={text.email} help={text.emailHelp} error={form.errorOf('email')}>
        <TextInput type="email" maxLength={254} {...form.register('email')} />
      </Field>
      <Field label={text.inviteAs} error={form.errorOf('way')}>
        <Controller
          name="way"
          control={form.control}
          render={({ field: { value, onChange } }) => (
            <RadioCards label={text.inviteAs} value={value} onChange={onChange} options={ways} />
          )}
        />
      </Field>
      {isToAccount && (
        <Field label={text.account} error={form.errorOf('account')} isRequired>
          <Controller
            name="account"
            control={form.control}
            rules={{ required: text.chooseAccount }}
            render={({ field }) => <AccountPicker {...field} />}
          />
        </Field>
      )}
      {isToAccount && (
        <Field label={text.role} error={form.errorOf('role')}>
          <Controller
            name="role"
            control={form.control}
            render={({ field: { value, onChange } }) => (
              <RadioCards label={text.role} value={value} onChange={onChange} options={roles} />
            )}
          />
        </Field>
      )}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeLink} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
