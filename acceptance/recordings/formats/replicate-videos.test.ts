import { expect, test } from 'bun:test';
import { recordingsFolder, rowsIn } from '../../../conformance/shared/recordings.ts';
import { replicateVideos } from '../../../src/formats/hosts/replicate-videos/index.ts';
import { polledTask, submittedTask } from '../../../src/formats/shared/testing/task-exchange.ts';
import { PLAIN_VIDEO } from '../../../src/formats/shared/testing/video-exchange.ts';
import { recordedFile } from '../documents.ts';

const predictions = rowsIn(recordingsFolder).filter(
  ({ provider, api }) => provider === 'replicate' && api === 'predictions',
);

test.each(predictions.map(({ file }) => file))('%s is decoded as a job', (file) => {
  const { request, response } = recordedFile(file);
  const body = String(response.body);
  if (Number(response.status) >= 400) {
    const bytes = new TextEncoder().encode(body);
    const failure = replicateVideos.decodeFailure(Number(response.status), new Headers(), bytes);
    expect(failure).toMatchObject({ kind: 'upstream_auth' });
    return;
  }
  const { id, status, urls, logs } = JSON.parse(body);
  if (request.method === 'POST' && !request.url.endsWith('/cancel')) {
    const submission = submittedTask(replicateVideos, body, PLAIN_VIDEO);
    expect(submission).toMatchObject({ ticket: { id }, report: { state: 'working' } });
  }
  expect(urls.get).toEndWith(replicateVideos.poll({ id }, { upstreamModel: 'x' }).url);
  const report = polledTask(replicateVideos, body, { id });
  if (status === 'starting') expect(report).toEqual({ state: 'working', status: 'pending', progress: null });
  else if (status === 'processing') {
    const said = [...String(logs).matchAll(/(\d+)%\|/g)].at(-1)?.[1];
    const progress = said === undefined ? null : Number(said);
    expect(report).toEqual({ state: 'working', status: 'processing', progress });
  } else expect(report).toMatchObject({ state: 'failed' }); // canceled, or an image, which is no video
});
