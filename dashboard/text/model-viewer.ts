import { defineText } from './text.tsx';

/** The view of a 3D model. */
export const modelViewerText = defineText({
  en: {
    keys: 'Turn it with the arrow keys, + and − change its size.',
    drag: 'Drag to turn, scroll to zoom',
    failed: 'This model cannot be shown here. Download it instead.',
  },
  zh: {
    keys: '用左右方向键旋转，+ 和 − 缩放。',
    drag: '拖动旋转，滚轮缩放',
    failed: '无法在此显示该模型，请下载查看。',
  },
});
