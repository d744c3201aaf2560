import { expect, test } from 'bun:test';
import { encodeRequest } from '../../../src/formats/images/gemini-images/request.ts';
import { decodeAnswer } from '../../../src/formats/images/gemini-images/response.ts';
import { PLAIN_IMAGE, sentAsJson, wireAnswer } from '../../../src/formats/shared/testing/image-samples.ts';
import { recordedFile } from '../documents.ts';

const FLASH = 'gemini-2.5-flash-image';

test('an image request matches the recorded one, and the recorded response is decoded', async () => {
  const { request, response } = recordedFile('gemini/generateContent/022-nano-banana-image-generation-smoke.json');
  const body = JSON.parse(request.body);
  const prompt = body.contents[0].parts[0].text;
  const asked = { ...PLAIN_IMAGE, prompt, aspectRatio: '1:1' };
  const written = await sentAsJson(encodeRequest(asked, { upstreamModel: FLASH }));
  const said = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  expect(typeof written === 'string' ? written : written.body).toEqual(said);
  expect(decodeAnswer(wireAnswer(response.body))).toMatchObject({
    images: [{ mediaType: 'image/png' }],
    tokens: { textInput: 15, imageInput: 0, textOutput: 0, imageOutput: 1_290 },
    model: FLASH,
  });
});
