import { Ban, Eraser, KeyRound, ShieldCheck, ShieldOff, UserCheck } from 'lucide-react';
import { useState } from 'react';
import type { UpdateUserRequest, User } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Button } from '../../kit/button.tsx';
import { ConfirmDialog } from '../../kit/dialog.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useOwnLink } from '../../shell/use-own-address.ts';
import { useText } from '../../text/text.tsx';
import { usersText } from '../../text/users.ts';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { EraseQuestion } from './erase-question.tsx';

export const USER_READS = ['listUsers', 'getUser', 'listMembers', 'listUserSessions', 'getMe'] as const;

interface UserActionsProps {
  readonly user: User;
  readonly etag: string | undefined;
  readonly onLink: (link: ShownSecret) => void;
  readonly onErased: () => void;
}

type Question = 'disable' | 'operator' | 'no-operator' | 'reset' | 'erase';

/** The actions of operators on a person. */
export function UserActions({ user, etag, onLink, onErased }: UserActionsProps) {
  const text = useText(usersText);
  const toast = useToast();
  const [question, setQuestion] = useState<Question | null>(null);
  const update = useChange('updateUser', { touches: [...USER_READS, 'listAudit'] });
  const changeOfShown = useChangeOfShown();
  const change = async (body: UpdateUserRequest, said: string) => {
    const sent = update.mutateAsync({ params: { id: user.id }, body, ifMatch: etag });
    if (await changeOfShown(sent, USER_READS)) toast.done(said);
  };
  const { name } = user;
  // The next change requires the result of this one.
  const isBusy = update.isPending;
  return (
    <div className="flex flex-wrap gap-2">
      {user.disabled_at === null ? (
        <Button icon={Ban} disabled={isBusy} onClick={() => setQuestion('disable')}>
          {text.disable}
        </Button>
      ) : (
        <Button
          icon={UserCheck}
          isBusy={isBusy}
          onClick={() => void change({ disabled: false }, text.wasEnabled(name)).catch(toast.failed)}
        >
          {text.enable}
        </Button>
      )}
      {user.disabled_at === null && (
        <Button icon={KeyRound} disabled={isBusy} onClick={() => setQuestion('reset')}>
          {text.resetLink}
        </Button>
      )}
      {user.operator ? (
        <Button icon={ShieldOff} disabled={isBusy} onClick={() => setQuestion('no-operator')}>
          {text.takeOperator}
        </Button>
      ) : (
        <Button icon={ShieldCheck} disabled={isBusy} onClick={() => setQuestion('operator')}>
          {text.makeOperator}
        </Button>
      )}
      <Button icon={Eraser} disabled={isBusy} onClick={() => setQuestion('erase')}>
        {text.erase}
      </Button>
      <EraseQuestion user={user} isOpen={question === 'erase'} onClose={() => setQuestion(null)} onErased={onErased} />
      <Questions user={user} question={question} onClose={() => setQuestion(null)} change={change} onLink={onLink} />
    </div>
  );
}

interface QuestionsProps extends Pick<UserActionsProps, 'user' | 'onLink'> {
  readonly question: Question | null;
  readonly onClose: () => void;
  readonly change: (body: UpdateUserRequest, said: string) => Promise<void>;
}

function Questions({ user: { id, name, email }, question, onClose, change, onLink }: QuestionsProps) {
  const text = useText(usersText);
  const toast = useToast();
  const ownLink = useOwnLink();
  const reset = useChange('createResetLink', { touches: ['listInvitations', 'listAudit'] });
  const makeLink = async () => {
    const { link, mailed } = await reset.mutateAsync({ params: { id } });
    if (mailed === true) toast.done(text.mailed(email));
    if (link !== null) onLink({ name, secret: ownLink(link) });
  };
  return (
    <>
      <ConfirmDialog
        title={text.disableTitle(name)}
        body={text.disableText}
        confirmLabel={text.disable}
        isDanger
        isOpen={question === 'disable'}
        onClose={onClose}
        onConfirm={() => change({ disabled: true }, text.wasDisabled(name))}
      />
      <ConfirmDialog
        title={text.makeOperatorTitle(name)}
        body={text.makeOperatorText}
        confirmLabel={text.makeOperator}
        typeToConfirm={email}
        isDanger
        isOpen={question === 'operator'}
        onClose={onClose}
        onConfirm={() => change({ operator: true }, text.isOperator(name))}
      />
      <ConfirmDialog
        title={text.takeOperatorTitle(name)}
        body={text.takeOperatorText}
        confirmLabel={text.takeOperator}
        isDanger
        isOpen={question === 'no-operator'}
        onClose={onClose}
        onConfirm={() => change({ operator: false }, text.isNoOperator(name))}
      />
      <ConfirmDialog
        title={text.resetTitle(name)}
        body={text.resetText}
        confirmLabel={text.makeReset}
        isOpen={question === 'reset'}
        onClose={onClose}
        onConfirm={makeLink}
      />
    </>
  );
}
