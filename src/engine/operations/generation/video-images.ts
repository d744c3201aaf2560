import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { VideoOperation, VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { missingField, wrongField } from '../../../formats/shared/request/request-fields.ts';
import { imageFrom, imageList, itemsOf, MOST_INPUT_IMAGES, memberOf } from '../input-images.ts';

/*
 * The images of a video. `image_url` is the first frame, `end_image_url` the last one, and `reference_image_urls` show what appears.
 * `image_urls` replaces all three, as `{url, role}` or as texts whose number implies their roles.
 */

const ROLES = ['first', 'last', 'reference'] as const;
type Role = (typeof ROLES)[number];

type Body = Readonly<Record<string, unknown>>;

export type VideoImages = Pick<VideoRequest, 'firstImage' | 'lastImage' | 'referenceImages'>;

export interface ReadVideoImages {
  readonly images: VideoImages;
  /** The fields of the images of each role, for messages. */
  readonly paths: Readonly<Record<Role, string>>;
}

/** Reads the images of a body. `operation` is the one that the client named. */
export function readVideoImages(body: Body, operation: VideoOperation | null): ReadVideoImages | Failure {
  const first = imageAt(body, 'image_url');
  if (first instanceof Failure) return first;
  const last = imageAt(body, 'end_image_url');
  if (last instanceof Failure) return last;
  const told = memberOf(body, 'reference_image_urls');
  const references = told === null ? [] : imageList(told, 'reference_image_urls');
  if (references instanceof Failure) return references;
  const listed = memberOf(body, 'image_urls');
  const own = { first: 'image_url', last: 'end_image_url', reference: 'reference_image_urls' };
  const images = { firstImage: first, lastImage: last, referenceImages: references };
  return listed === null ? { images, paths: own } : withListed(images, readList(listed, operation));
}

function imageAt(body: Body, name: string): ImageInput | null | Failure {
  const value = memberOf(body, name);
  return value === null ? null : imageFrom(value, name);
}

interface ListedImage {
  readonly image: ImageInput;
  readonly role: Role;
  readonly path: string;
}

/** Merges the list with the separate fields, which must not fill the same role. */
function withListed(given: VideoImages, list: readonly ListedImage[] | Failure): ReadVideoImages | Failure {
  if (list instanceof Failure) return list;
  const of = (role: Role) => list.filter((one) => one.role === role);
  const [first, secondFirst] = of('first');
  const [last, secondLast] = of('last');
  const references = of('reference');
  const twice = secondFirst ?? secondLast;
  if (twice !== undefined) {
    return wrongField('invalid_value', twice.path, `has the role \`${twice.role}\`, which another image already has`);
  }
  const both = (field: string, role: Role) =>
    wrongField('invalid_value', field, `cannot be sent: \`image_urls\` already has an image with the role \`${role}\``);
  if (given.firstImage !== null && list.length > 0) {
    return wrongField(
      'invalid_value',
      'image_urls',
      'cannot be combined with `image_url`; put all images in one of them',
    );
  }
  if (given.lastImage !== null && last !== undefined) return both('end_image_url', 'last');
  if (given.referenceImages.length > 0 && references.length > 0) return both('reference_image_urls', 'reference');
  const images = {
    firstImage: first?.image ?? given.firstImage,
    lastImage: last?.image ?? given.lastImage,
    referenceImages: references.length > 0 ? references.map(({ image }) => image) : given.referenceImages,
  };
  const paths = {
    first: first?.path ?? 'image_url',
    last: last?.path ?? 'end_image_url',
    reference: references.length > 0 ? 'image_urls' : 'reference_image_urls',
  };
  return { images, paths };
}

function readList(value: unknown, operation: VideoOperation | null): readonly ListedImage[] | Failure {
  const items = itemsOf(value, 'image_urls');
  if (items instanceof Failure) return items;
  const roles = rolesOf(items, operation);
  if (roles instanceof Failure) return roles;
  const list: ListedImage[] = [];
  for (const [index, role] of roles.entries()) {
    const item = items[index];
    const path = `image_urls[${index}]`;
    const image = isRecord(item) ? imageFrom(memberOf(item, 'url'), `${path}.url`) : imageFrom(item, path);
    if (image instanceof Failure) return image;
    list.push({ image, role, path });
  }
  return list;
}

function rolesOf(items: readonly unknown[], operation: VideoOperation | null): readonly Role[] | Failure {
  const roles: (Role | null)[] = [];
  for (const [index, item] of items.entries()) {
    const role = isRecord(item) ? roleOf(item, `image_urls[${index}]`) : null;
    if (role instanceof Failure) return role;
    roles.push(role);
  }
  const said = roles.filter((role) => role !== null);
  if (said.length === roles.length) return said;
  if (said.length === 0) return rolesByCount(roles.length, operation);
  const path = `image_urls[${roles.indexOf(null)}].role`;
  return missingField(path, 'other images of the list have a role (`first`, `last` or `reference`), so each needs one');
}

function roleOf(item: Body, path: string): Role | null | Failure {
  const unknown = Object.keys(item).find((name) => name !== 'url' && name !== 'role');
  if (unknown !== undefined) {
    const message = `\`${path}\` has the field \`${unknown.slice(0, 100)}\`; an image may only have \`url\` and \`role\`.`;
    return new Failure('invalid_value', { message, param: path });
  }
  if (memberOf(item, 'url') === null) return missingField(`${path}.url`, 'the URL of the image');
  const said = memberOf(item, 'role');
  if (said === null) return null;
  const role = ROLES.find((one) => one === said);
  if (role !== undefined) return role;
  const code = typeof said === 'string' ? 'invalid_value' : 'invalid_type';
  return wrongField(code, `${path}.role`, 'must be `first`, `last` or `reference`');
}

/** Returns the roles of images without any: one begins the video, two begin and end it, and more are references. */
function rolesByCount(count: number, operation: VideoOperation | null): readonly Role[] | Failure {
  const isReference = operation === 'reference-to-video' || operation === 'video-to-video' || count > 2;
  if (operation === 'image-to-video' && count > 2) {
    const rule = `has ${count} images without a role; a video has at most a first and a last one. Write the others as \`{url, role: "reference"}\``;
    return wrongField('invalid_value', 'image_urls', rule);
  }
  if (isReference) return Array.from({ length: Math.min(count, MOST_INPUT_IMAGES) }, () => 'reference');
  const frames: readonly Role[] = ['first', 'last'];
  return frames.slice(0, count);
}
