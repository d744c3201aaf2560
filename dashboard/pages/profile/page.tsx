import { Segmented } from '../../kit/choice.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Panel } from '../../kit/panel.tsx';
import { useSession } from '../../shell/session.tsx';
import { chooseTheme, THEMES, useTheme } from '../../shell/theme.ts';
import { profileText } from '../../text/profile.ts';
import { shellText } from '../../text/shell.ts';
import { LANGUAGES, type Language, useLanguage, useText } from '../../text/text.tsx';
import { Authenticator } from './authenticator.tsx';
import { Issuers } from './issuers.tsx';
import { Needed } from './needed.tsx';
import { Passkeys } from './passkeys.tsx';
import { Sessions } from './sessions.tsx';
import { NameForm, PasswordForm } from './you.tsx';

export function Page() {
  const text = useText(profileText);
  const { profile } = useText(shellText);
  const { me } = useSession();
  const isHeld = me.needs_second_factor;
  return (
    <div className="mx-auto flex max-w-3xl flex-col gap-4">
      <PageHeader title={profile} description={text.about(me.email)} />
      {isHeld && <Needed />}
      {!isHeld && (
        <>
          <Panel title={text.you}>
            <NameForm />
          </Panel>
          <Panel title={text.password} description={text.passwordAbout}>
            <PasswordForm />
          </Panel>
        </>
      )}
      {!(isHeld && me.two_factor_enabled) && (
        <>
          <Authenticator />
          <Passkeys />
        </>
      )}
      {!isHeld && <Issuers />}
      <Sessions />
      <Look />
    </div>
  );
}

function Look() {
  const text = useText(profileText);
  const { themes, theme: themeLabel, language: languageLabel } = useText(shellText);
  const theme = useTheme();
  const { language, choose } = useLanguage();
  const languages = Object.entries(LANGUAGES) as [Language, string][];
  return (
    <Panel title={text.look}>
      <div className="flex flex-wrap gap-4">
        <Segmented
          label={themeLabel}
          value={theme}
          onChange={chooseTheme}
          options={THEMES.map((one) => ({ value: one, label: themes[one] }))}
        />
        <Segmented
          label={languageLabel}
          value={language}
          onChange={choose}
          options={languages.map(([value, label]) => ({ value, label }))}
        />
      </div>
    </Panel>
  );
}
