import { ACCOUNT_PAGES, OPERATOR_PAGES } from '../../acceptance/dashboard/listed-pages.ts';

/** The person whose pages are shown: of a demo with a month's traffic, or of a gateway after its first start. */
export type Who = 'demo-owner' | 'demo-operator' | 'fresh-operator' | 'nobody';

export interface View {
  /** The name of its screenshots. */
  readonly name: string;
  readonly who: Who;
  /** The path in the gateway; `{one}` stands for the first id of the list `idOf`. */
  readonly path: string;
  /** The list of the management API whose first `id` is part of the path. */
  readonly idOf?: string;
  /** Texts to type before that, by the labels of the fields. */
  readonly fill?: readonly Filled[];
  /** The label of a button to press before the screenshot. */
  readonly press?: Words;
  /** A text to wait for after the press, if the page takes a while. */
  readonly until?: Words;
  /** The fate of the page's requests: `late` leaves them unanswered, `failed` answers an error. */
  readonly answers?: 'late' | 'failed';
}

type Words = Readonly<Record<'en' | 'zh', string>>;

export interface Filled {
  readonly label: Words;
  readonly text: string;
}

const ACCOUNT = 'halyard';
const OF_ACCOUNT = `/app/a/${ACCOUNT}`;
const QUERY = `account_id=${ACCOUNT}&limit=20`;
const OPERATOR = '/app/operator';
const FRESH = '/app/a/default';

function account(name: string, path: string, more: Pick<View, 'idOf' | 'press'> = {}): View {
  return { name: `account/${name}`, who: 'demo-owner', path: `${OF_ACCOUNT}/${path}`, ...more };
}

function operator(name: string, path: string, more: Pick<View, 'idOf' | 'press'> = {}): View {
  return { name: `operator/${name}`, who: 'demo-operator', path: `${OPERATOR}/${path}`, ...more };
}

const PLAYGROUND_TABS = [
  ...['images', 'speech', 'transcription', 'embeddings', 'rerank'],
  ...['moderations', 'video', 'music', '3d'],
];

const RUN: Words = { en: 'Run', zh: '运行' };
const DONE: Words = { en: 'Completed', zh: '已完成' };
/** The link at the end of a response. */
const DETAILS: Words = { en: 'Details', zh: '详情' };
const PROMPT: Words = { en: 'Prompt', zh: '提示词' };
const TEXT: Words = { en: 'Text', zh: '文本' };
const SAID =
  'The lantern room smells of salt and warm brass.\nBelow, the boats come home one by one.\nNobody has counted them.';

/** The sandbox's answers in the playground. */
const RESULTS: readonly View[] = [
  result('chat', 'playground?model=sandbox-reasoning', {
    fill: [{ label: PROMPT, text: 'Why do lighthouses blink?' }],
    press: { en: 'Send', zh: '发送' },
    until: DETAILS,
  }),
  result('images', 'playground?tab=images&model=sandbox-image', { fill: [{ label: PROMPT, text: SAID }] }),
  result('speech', 'playground?tab=speech&model=sandbox-speech', { fill: [{ label: TEXT, text: SAID }] }),
  result('embeddings', 'playground?tab=embeddings&model=sandbox-embedding', { fill: [{ label: TEXT, text: SAID }] }),
  result('rerank', 'playground?tab=rerank&model=sandbox-rerank', {
    fill: [
      { label: { en: 'Query', zh: '查询' }, text: 'boats' },
      { label: { en: 'Documents', zh: '文档' }, text: SAID },
    ],
  }),
  result('moderations', 'playground?tab=moderations&model=sandbox-moderation', { fill: [{ label: TEXT, text: SAID }] }),
  result('video', 'playground?tab=video&model=sandbox-video', { fill: [{ label: PROMPT, text: SAID }], until: DONE }),
  result('music', 'playground?tab=music&model=sandbox-music', { fill: [{ label: PROMPT, text: SAID }], until: DONE }),
  result('3d', 'playground?tab=3d&model=sandbox-3d', { fill: [{ label: PROMPT, text: SAID }], until: DONE }),
  result('refused', 'playground?model=no-such-model', {
    fill: [{ label: PROMPT, text: 'Is anybody there?' }],
    press: { en: 'Send', zh: '发送' },
  }),
];

function result(name: string, path: string, more: Pick<View, 'fill' | 'press' | 'until'>): View {
  return { name: `result/${name}`, who: 'demo-owner', path: `${OF_ACCOUNT}/${path}`, press: RUN, ...more };
}

/** Every page while it waits, and after an error. */
const STATES: readonly View[] = (['late', 'failed'] as const).flatMap((answers): View[] => [
  ...[...ACCOUNT_PAGES.map(({ path }) => path), 'statement'].map(
    (path): View => ({ name: `${answers}/${path}`, who: 'demo-owner', path: `${OF_ACCOUNT}/${path}`, answers }),
  ),
  ...OPERATOR_PAGES.map(
    ({ path }): View => ({
      ...{ name: `${answers}/operator-${path}`, who: 'demo-operator', path: `${OPERATOR}/${path}`, answers },
    }),
  ),
]);

const DOORS: readonly View[] = [
  { name: 'door/sign-in', who: 'nobody', path: '/app/sign-in' },
  {
    name: 'door/sign-in-forgotten',
    who: 'nobody',
    path: '/app/sign-in',
    press: { en: 'Forgot your password?', zh: '忘记密码？' },
  },
  { name: 'door/welcome', who: 'nobody', path: '/welcome' },
  { name: 'door/not-found', who: 'demo-owner', path: '/app/nowhere' },
  { name: 'door/no-operator', who: 'demo-owner', path: `${OPERATOR}/overview` },
  { name: 'door/no-account', who: 'demo-owner', path: '/app/a/nobody/overview' },
];

const ACCOUNT_VIEWS: readonly View[] = [
  ...ACCOUNT_PAGES.map(({ path }) => account(path, path)),
  ...['hour', 'day', 'month'].map((period) => account(`overview-${period}`, `overview?period=${period}`)),
  account('overview-by-model', 'overview?by=model'),
  account('usage-by-key', 'usage?by=key&within=model&metric=spend'),
  account('usage-latency', 'usage?by=model&metric=latency_p95'),
  account('usage-end-users', 'usage?by=end_user'),
  account('statement', 'statement'),
  account('request', 'requests?id={one}', { idOf: `/requests?${QUERY}&stream=true&status=2xx&cached=false` }),
  account('request-failed', 'requests?id={one}', { idOf: `/requests?${QUERY}&status=502` }),
  account('request-captured', 'requests?id={one}', {
    idOf: `/requests?${QUERY}&stream=true&status=2xx&cached=false&format=anthropic-messages`,
    press: { en: 'Show prompt & response', zh: '显示提示词与响应' },
  }),
  account('requests-filtered', 'requests?status=4xx&error_code=invalid_value,context_length_exceeded'),
  account('request-cached', 'requests?id={one}', { idOf: `/requests?${QUERY}&cached=true` }),
  account('task', 'tasks?id={one}', { idOf: `/tasks?${QUERY}` }),
  account('tasks-gallery', 'tasks?view=gallery'),
  account('key', 'keys?id={one}', { idOf: `/keys?${QUERY}` }),
  account('keys-by-spend', 'keys?sort=spent_7d&order=desc'),
  account('key-new', 'keys', { press: { en: 'Create key', zh: '创建密钥' } }),
  account('token-new', 'tokens', { press: { en: 'Create token', zh: '创建令牌' } }),
  account('model', 'models?id=gpt-6-luna'),
  account('models-compared', 'models?compare=gpt-6-luna,claude-sonnet-5-5,gemini-3.8-flash&compared=1'),
  account('cache-reports', 'cache?tab=reports'),
  account('cache-report', 'cache?id={one}', {
    idOf: `/cache/entries?${QUERY}`,
    press: { en: 'Report wrong response', zh: '反馈错误响应' },
  }),
  account('balance-months', 'balance?tab=months'),
  account('balance-details', 'balance?tab=details'),
  account('alert-events', 'alerts?tab=events'),
  account('alert-rules', 'alerts?tab=rules'),
  account('alert-targets', 'alerts?tab=targets'),
  account('alert-deliveries', 'alerts?tab=deliveries'),
  account('search', 'overview', { press: { en: 'Search…', zh: '搜索…' } }),
  account('invite', 'members', { press: { en: 'Invite member', zh: '邀请成员' } }),
  ...PLAYGROUND_TABS.map((tab) => account(`playground-${tab}`, `playground?tab=${tab}`)),
  { name: 'account/me', who: 'demo-owner', path: '/app/me' },
];

const OPERATOR_VIEWS: readonly View[] = [
  ...OPERATOR_PAGES.map(({ path }) => operator(path, path)),
  { name: 'operator/customer', who: 'demo-operator', path: `${OF_ACCOUNT}/overview` },
  operator('channel', 'channels?id=openai'),
  operator('channel-edit', 'channels?id=openai&edit=1'),
  operator('channel-advanced', 'channels?id=openai&edit=1', { press: { en: 'Advanced', zh: '高级' } }),
  operator('channel-new', 'channels?new=1'),
  operator('channels-private', 'channels?scope=private'),
  operator('model', 'models?id=gpt-6-luna'),
  operator('model-edit', 'models?id=gpt-6-luna&edit=1'),
  operator('model-new', 'models?new=1'),
  operator('models-sandbox', 'models?sandbox=1'),
  operator('account', `accounts?id=${ACCOUNT}`),
  operator('user', 'users?id={one}', { idOf: '/users' }),
  operator('invitations', 'users?tab=invitations'),
  operator('request', 'requests?id={one}', { idOf: '/requests?limit=20' }),
  operator('audit-entry', 'audit?id={one}', { idOf: '/audit' }),
  operator('cache-reports', 'cache?tab=reports'),
  operator('alert-rules', 'alerts?tab=rules'),
  operator('alert-targets', 'alerts?tab=targets'),
  operator('alert-events', 'alerts?tab=events'),
];

const FRESH_VIEWS: readonly View[] = [
  ...[...ACCOUNT_PAGES.map(({ path }) => path), 'statement'].map(
    (path): View => ({ name: `fresh/${path}`, who: 'fresh-operator', path: `${FRESH}/${path}` }),
  ),
  ...OPERATOR_PAGES.map(
    ({ path }): View => ({ name: `fresh/operator-${path}`, who: 'fresh-operator', path: `${OPERATOR}/${path}` }),
  ),
];

export const VIEWS: readonly View[] = [
  ...[...DOORS, ...ACCOUNT_VIEWS, ...OPERATOR_VIEWS, ...FRESH_VIEWS],
  ...[...RESULTS, ...STATES],
];

/** Returns the views whose names contain one of the parts; `=name` is the whole name. Without parts, returns all. */
export function chosenViews(parts: readonly string[]): readonly View[] {
  if (parts.length === 0) return VIEWS;
  return VIEWS.filter(({ name }) =>
    parts.some((part) => (part[0] === '=' ? name === part.slice(1) : name.includes(part))),
  );
}
