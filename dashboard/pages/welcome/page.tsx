import { useQuery } from '@tanstack/react-query';
import { type ApiError, call } from '../../api/client.ts';
import type { InvitationLink } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { useBrand } from '../../kit/brand.tsx';
import { LinkButton, TextLink } from '../../kit/button.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useEnter } from '../../shell/entrance.ts';
import { scopeOf } from '../../shell/scope.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';
import { SignedOutLayout } from '../shared/signed-out-layout.tsx';
import { JoinForm, ResetForm } from './forms.tsx';
import { oneTimeToken } from './one-time-token.ts';
import { Accept } from './signed-in.tsx';

/** The page of one-time links: an invitation, the first operator, a registration, a new password. */
export function Page() {
  const text = useText(signInText);
  const link = useQuery<InvitationLink, ApiError>({
    queryKey: ['lookUpInvitation', oneTimeToken],
    queryFn: () => call('lookUpInvitation', { body: { token: oneTimeToken } }),
    enabled: oneTimeToken !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (oneTimeToken === '')
    return (
      <SignedOutLayout title={text.linkDead} about={text.linkMissing}>
        <LinkButton to="/">{text.signIn}</LinkButton>
      </SignedOutLayout>
    );
  if (link.error)
    return (
      <SignedOutLayout title={text.linkDead} about={text.linkDeadText}>
        <ErrorBox error={link.error} />
        <LinkButton to="/">{text.signIn}</LinkButton>
      </SignedOutLayout>
    );
  if (!link.data) return <Loading />;
  return <Opened link={link.data} />;
}

function Opened({ link }: { readonly link: InvitationLink }) {
  const text = useText(signInText);
  const { name } = useBrand();
  const options = useApi('getSignInOptions');
  const me = useApi('getMe', {}, { enabled: options.data?.signed_in === true });
  const enter = useEntrance(link);
  if (link.purpose === 'reset')
    return (
      <SignedOutLayout title={text.resetTitle} about={text.resetText(link.email ?? '')}>
        <ResetForm link={link} onDone={enter} />
      </SignedOutLayout>
    );
  const about = <Offer link={link} />;
  if (options.isPending || me.isLoading) return <Loading />;
  if (me.data)
    return (
      <SignedOutLayout title={text.welcome(name)} about={about}>
        <Notice tone="neutral">{text.signedInAs(me.data.email)}</Notice>
        {/* The link may verify the address, which requires a new password. */}
        {!me.data.email_verified && link.email === me.data.email ? (
          <>
            <Notice tone="neutral">{text.proveAddress}</Notice>
            <JoinForm link={link} onDone={enter} />
          </>
        ) : (
          <Accept onDone={enter} />
        )}
      </SignedOutLayout>
    );
  return (
    <SignedOutLayout title={text.welcome(name)} about={about}>
      <JoinForm link={link} onDone={enter} />
      <p className="text-sm text-soft">
        <TextLink to="/app/sign-in">{text.haveUser}</TextLink> {text.haveUserText}
      </p>
    </SignedOutLayout>
  );
}

function Offer({ link }: { readonly link: InvitationLink }) {
  const text = useText(signInText);
  const { operator, role } = link;
  const account = link.account_name ?? link.account;
  const parts = [
    ...(operator ? [text.becomeOperator] : []),
    ...(account !== null && role !== null ? [text.join(account, text.roles[role])] : []),
  ];
  return parts.length === 0 ? text.makeUser : parts.join(' ');
}

/** Continues to the purpose of the link. */
function useEntrance({ purpose, account }: InvitationLink): () => Promise<void> {
  const enter = useEnter();
  const base = account === null ? null : scopeOf(account).base;
  const page = purpose === 'first_operator' ? 'first-steps' : 'overview';
  return () => enter(base === null ? '' : `${base}/${page}`);
}
