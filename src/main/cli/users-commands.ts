import { type Command, Option } from 'commander';
import { MEMBER_ROLES, type UserWithMemberships } from '../../domain/access/user.ts';
import { localOrigin } from '../../engine/admin/audit/audit-trail.ts';
import type { Configuration } from '../../engine/admin/configuration/configuration.ts';
import { eraseUser, userErasureView } from '../../engine/admin/erasure/erase-user.ts';
import { allItems } from '../../engine/admin/page.ts';
import { invite, resetLink } from '../../engine/admin/people/invite.ts';
import type { Doer, MadeLink, PeoplePorts } from '../../engine/admin/people/links.ts';
import { userView } from '../../engine/admin/people/person-view.ts';
import { changeUser, existingUser, listUsers, revokeSessions } from '../../engine/admin/people/users.ts';
import { withSettings } from '../../engine/admin/schema/configuration-file.ts';
import { LiveBranding } from '../../engine/admin/settings/live-branding.ts';
import type { SettingSections } from '../../engine/ports/settings-store.ts';
import type { Store } from '../../engine/ports/store.ts';
import { DEFAULT_SIGN_IN } from '../../engine/settings/settings.ts';
import { ConfigurationError } from '../configuration/configuration-error.ts';
import { createMailers } from '../create-mailers.ts';
import { type CommandLineDependencies, type CommandSetup, configurationFrom, withStore } from './context.ts';
import type { Settings } from './settings.ts';
import { systemUser } from './system-user.ts';
import { formatTable } from './table.ts';
import { isoTime } from './time.ts';

/** Adds `switchyard users`: people who sign in. */
export function addUsersCommands(setup: CommandSetup): void {
  const users = setup.program.command('users').description('invite, list, disable, enable and erase users');
  users.addHelpText(
    'after',
    `
Examples:
  switchyard users invite --operator
  switchyard users invite --email ann@example.com --account acme --role owner
  switchyard users reset-link ann@example.com
  switchyard users disable ann@example.com
  switchyard users erase ann@example.com`,
  );
  for (const add of [addInvite, addList, addDisable, addEnable, addResetLink, addRevokeSessions, addErase])
    add(users, setup);
}

function addList(users: Command, setup: CommandSetup): void {
  users
    .command('list')
    .description('list users and their accounts')
    .option('--account <id>', 'only members of this account')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  switchyard users list\n  switchyard users list --account acme --json')
    .action(async (options: { account?: string; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const found = await withStore(setup, (store) =>
        allItems((page) => listUsers(store, { ...page, accountId: options.account })),
      );
      if (options.json) stdout.write(`${JSON.stringify(found.map(userView), null, 2)}\n`);
      else if (found.length === 0)
        stdout.write('No users yet. Create an invitation link with "switchyard users invite --operator".\n');
      else stdout.write(formatTable(COLUMNS, found.map(asRow)));
    });
}

const COLUMNS = ['email', 'id', 'name', 'accounts', 'operator', 'second factor', 'state', 'since'];

function asRow(user: UserWithMemberships): readonly string[] {
  const accounts = user.memberships.map(({ accountId, role }) => `${accountId} (${role})`);
  return [
    user.email,
    user.id,
    user.name,
    accounts.join(', ') || '-',
    user.operator ? 'yes' : '-',
    user.twoFactorEnabled ? 'yes' : '-',
    user.disabledAtMs === null ? 'active' : 'disabled',
    isoTime(user.createdAtMs),
  ];
}

function addDisable(users: Command, setup: CommandSetup): void {
  addSwitch(users, setup, {
    name: 'disable',
    description: 'disable a user: all sessions end at once, on all nodes',
    disabled: true,
  });
}

function addEnable(users: Command, setup: CommandSetup): void {
  addSwitch(users, setup, { name: 'enable', description: 'enable a disabled user', disabled: false });
}

function addSwitch(
  users: Command,
  setup: CommandSetup,
  { name, description, disabled }: { readonly name: string; readonly description: string; readonly disabled: boolean },
): void {
  users
    .command(name)
    .description(description)
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', `\nExamples:\n  switchyard users ${name} ann@example.com`)
    .action(async (named: string) => {
      const { stdout } = setup.dependencies;
      const { email } = await withPeople(setup, (ports, by) => changeUser(ports, by, named, { disabled }));
      stdout.write(`${email} is ${disabled ? 'disabled' : 'enabled'}\n`);
    });
}

function addRevokeSessions(users: Command, setup: CommandSetup): void {
  users
    .command('revoke-sessions')
    .description('end all sessions of a user, who can sign in again')
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', '\nExamples:\n  switchyard users revoke-sessions ann@example.com')
    .action(async (named: string) => {
      const { stdout } = setup.dependencies;
      const ended = await withPeople(setup, async (ports, by) =>
        revokeSessions(ports, by, (await existingUser(ports, named)).id, null),
      );
      stdout.write(`${ended} ${ended === 1 ? 'session' : 'sessions'} ended\n`);
    });
}

interface InviteOptions {
  readonly email?: string;
  readonly account?: string;
  readonly role?: string;
  readonly operator?: boolean;
}

function addInvite(users: Command, setup: CommandSetup): void {
  users
    .command('invite')
    .description('create a one-time invitation link; with a mail server it is also sent by email')
    .option('--email <address>', 'email address of the invited person (anyone with the link)')
    .option('--account <id>', 'account to join')
    .addOption(new Option('--role <role>', 'role in the account (member)').choices(MEMBER_ROLES))
    .option('--operator', 'make the person an admin of all accounts')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard users invite --operator\n  switchyard users invite --account acme --email ann@example.com',
    )
    .action(async (options: InviteOptions) => {
      const { stdout } = setup.dependencies;
      const { email, account, role, operator } = options;
      const made = await withPeople(setup, (ports, by) => invite(ports, by, { email, account, role, operator }));
      stdout.write(madeLinkText(made));
    });
}

function addResetLink(users: Command, setup: CommandSetup): void {
  users
    .command('reset-link')
    .description('create a one-time password reset link; using it ends all sessions of the user')
    .argument('<user>', 'the email address or ID')
    .addHelpText('after', '\nExamples:\n  switchyard users reset-link ann@example.com')
    .action(async (named: string) => {
      const { stdout } = setup.dependencies;
      const made = await withPeople(setup, async (ports, by) =>
        resetLink(ports, by, (await existingUser(ports, named)).id),
      );
      stdout.write(madeLinkText(made));
    });
}

function madeLinkText({ link, mailed, invitation }: MadeLink): string {
  const { email, expiresAtMs } = invitation;
  const sent = mailed === true ? `sent to ${email}; ` : mailed === false ? 'the email could not be sent; ' : '';
  return `${sent}the link works once, until ${isoTime(expiresAtMs)}:\n  ${link}\n`;
}

function addErase(users: Command, setup: CommandSetup): void {
  users
    .command('erase')
    .description('erase a user: frees the email address, and puts a pseudonym into the audit log')
    .argument('<user>', 'the email address or ID')
    .option('--yes', 'erase; without it the command only lists what would be removed')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  switchyard users erase ann@example.com\n  switchyard users erase ann@example.com --yes',
    )
    .action(async (named: string, { yes = false, json = false }: { yes?: boolean; json?: boolean }) => {
      const { stdout } = setup.dependencies;
      const done = await withPeople(setup, (ports, by, store) =>
        eraseUser({ ...store, ...ports }, by, named, { dryRun: !yes }),
      );
      const view = userErasureView(done);
      stdout.write(json ? `${JSON.stringify(view, null, 2)}\n` : erasureText(view));
    });
}

function erasureText({ id, pseudonym, removed, rewritten }: ReturnType<typeof userErasureView>): string {
  const counts = Object.entries({ ...removed, ...rewritten }).filter(([, count]) => count > 0);
  const lines = counts.map(([name, count]) => `  ${name.replaceAll('_', ' ')}: ${count}\n`).join('');
  if (pseudonym === null) return `nothing changed; add --yes to erase ${id}:\n${lines}`;
  return `erased ${id}; the audit log now shows ${pseudonym}:\n${lines}`;
}

/** Runs `use` on the people of the store; the audit log records changes under this user's name. */
export async function withPeople<Result>(
  setup: CommandSetup,
  use: (ports: PeoplePorts, by: Doer, store: Store) => Promise<Result>,
): Promise<Result> {
  const { dependencies, settings } = setup;
  const readable = await readableConfiguration(dependencies, settings);
  return withStore(setup, async (store) => {
    const configuration = readable && withStored(readable.file, await store.settings.read());
    const by: Doer = {
      origin: localOrigin({ kind: 'command_line', name: systemUser() }),
      isOperator: true,
      publicOrigin: configuration?.server.publicUrl ?? localAddress(settings),
    };
    const { people, directory } = store;
    const { clock } = dependencies;
    const { linkMailer: mailer } = createMailers(configuration, { people, clock });
    const written = configuration?.written.branding ?? {};
    const live = new LiveBranding({ ...store, written, clock, logger: { warn: () => undefined } });
    const branding = () => live.current();
    const ports = { people, directory, clock, mailer, branding, settings: configuration?.signIn ?? DEFAULT_SIGN_IN };
    return await use(ports, by, store);
  });
}

/** Returns the settings of the file and those made over the API, as a start of the gateway would use them. */
function withStored(file: Configuration | null, stored: SettingSections): Configuration {
  try {
    return withSettings(file, stored);
  } catch {
    return withSettings(file, {});
  }
}

/** Loads the configuration; an invalid one, for instance because a variable is not set, must not block the command. */
async function readableConfiguration(dependencies: CommandLineDependencies, { configurationPath }: Settings) {
  try {
    return { file: await configurationFrom(dependencies, configurationPath) };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    dependencies.stderr.write('notice: the configuration cannot be read here, so links use the local address\n');
    return null;
  }
}

function localAddress({ host, port }: Settings): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
