import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from 'openapi-typescript-codegen';
import { PROJECT } from '../../conformance/shared/workspace.ts';

/** The final output of the program below. */
export interface ClientResult {
  readonly answer: string;
  readonly image: string;
  readonly task: string;
  readonly key: string;
  readonly refused: string;
}

/** A program that uses the generated client, with types for everything it sends and receives. */
const PROGRAM = `
import { ApiError, ChatCompletionsService, ImagesService, ManagementKeysService, OpenAPI, TasksService, VideosMusicAnd3DService } from './client/index.ts';

const { ORIGIN = '', KEY = '', TOKEN = '' } = process.env;
OpenAPI.BASE = ORIGIN;
OpenAPI.TOKEN = KEY;

const chat = await ChatCompletionsService.createChatCompletion({
  requestBody: { model: 'sandbox-chat', messages: [{ role: 'user', content: 'Hello!' }] },
});
const answer: string | null | undefined = chat.choices[0]?.message.content;

const made = await ImagesService.createImage({ requestBody: { model: 'sandbox-image', prompt: 'A fox', size: '64x64', response_format: 'url' } });
const image: string | undefined = 'created' in made && made.data !== undefined ? made.data[0]?.url : undefined;

let task = await VideosMusicAnd3DService.createVideo({
  requestBody: { model: 'sandbox-video', prompt: 'A fox', provider_options: { delay_ms: 0 } },
});
while (task.status === 'pending' || task.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 20));
  task = await TasksService.getTask({ id: task.id });
}

let refused = '';
try {
  await TasksService.getTask({ id: 'task_none' });
} catch (error) {
  if (error instanceof ApiError) refused = String(error.status) + ' ' + error.body.error.code;
}

OpenAPI.TOKEN = TOKEN;
const key = await ManagementKeysService.createKey({ requestBody: { name: 'Made by a generated client', limit_usd: '5' } });

console.log(JSON.stringify({ answer, image, task: task.status, key: key.secret, refused }));
`;

const SETTINGS = {
  compilerOptions: {
    ...{
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: 'esnext',
      module: 'esnext',
      moduleResolution: 'bundler',
    },
    ...{ allowImportingTsExtensions: true, lib: ['esnext', 'dom'], types: ['bun'] },
  },
};

/** Generates a client with a public generator in a folder, beside the program. */
export async function generateClient(document: object, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await generate({
    input: document,
    output: path.join(folder, 'client'),
    httpClient: 'fetch',
    useOptions: true,
    useUnionTypes: true,
  });
  const program = path.join(folder, 'program.ts');
  await writeFile(program, PROGRAM);
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ ...SETTINGS, include: ['.'] }));
  await symlink(path.join(PROJECT, 'node_modules'), path.join(folder, 'node_modules'));
  return program;
}
