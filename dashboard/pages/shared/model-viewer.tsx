import { lazy, Suspense } from 'react';
import { Loading } from '../../kit/status.tsx';
import type { ModelStageProps } from './model-stage.tsx';

/** Three.js is as large as all other pages together, so it is loaded with the first model that is shown. */
const Stage = lazy(() => import('./model-stage.tsx'));

/** A 3D model that can be rotated. The caller has a download link beside it for models that cannot be shown. */
export function ModelViewer(props: ModelStageProps) {
  return (
    <div className="relative aspect-4/3 w-full overflow-hidden rounded-lg border border-line bg-sunken">
      <Suspense fallback={<Loading />}>
        <Stage key={props.url} {...props} />
      </Suspense>
    </div>
  );
}
