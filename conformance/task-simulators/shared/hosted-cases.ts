import { PIXEL_URI } from '../../../src/formats/shared/testing/image-samples.ts';
import type { SimulatedCase } from '../simulator.ts';

/** The models of a provider that hosts several vendors, by what they generate. */
interface HostedModels {
  readonly text: string;
  readonly image: string;
  readonly song: string;
  readonly threeD: string;
  /** Generates images. */
  readonly picture: string;
  /** Further members of the 3D request's body, besides an image and a format. */
  readonly threeDBody?: Readonly<Record<string, unknown>>;
}

export function hostedCases({
  text,
  image,
  song,
  threeD,
  threeDBody,
  picture,
}: HostedModels): readonly SimulatedCase[] {
  return [
    {
      name: 'a text',
      endpoint: 'videos',
      upstreamModel: text,
      body: { prompt: 'a fox in the snow', duration: 6, resolution: '1080p', aspect_ratio: '9:16', audio: false },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a first image',
      endpoint: 'videos',
      upstreamModel: image,
      body: { image_url: PIXEL_URI, prompt: 'it runs' },
      items: [{ content_type: 'video/mp4' }],
    },
    {
      name: 'a song',
      endpoint: 'music',
      upstreamModel: song,
      body: { prompt: 'slow jazz', tags: 'piano' },
      items: [{ content_type: 'audio/mpeg' }],
    },
    {
      name: 'a 3D model from an image',
      endpoint: '3d',
      upstreamModel: threeD,
      body: { image_url: PIXEL_URI, format: 'glb', ...threeDBody },
      items: [{ content_type: 'model/gltf-binary', format: 'glb' }],
    },
    {
      name: 'an image',
      endpoint: 'images',
      upstreamModel: picture,
      body: { prompt: 'a fox in the snow', aspect_ratio: '16:9', seed: 7 },
      items: [{ content_type: 'image/png', revised_prompt: 'a fox in the snow' }],
    },
  ];
}
