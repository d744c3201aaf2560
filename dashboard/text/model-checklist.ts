import { defineText } from './text.tsx';

/** Choosing among the models that a provider lists. */
export const modelChecklistText = defineText({
  en: {
    filter: 'Filter models',
    all: 'All',
    none: 'None',
    chosen: (count: number, all: number) => `${count} of ${all} chosen`,
    nothing: 'No model matches.',
    more: (count: number) => `${count} more: type to narrow the list`,
    unpriced: 'no price',
    categories: {
      chat: 'chat',
      image: 'image',
      video: 'video',
      audio: 'audio',
      tts: 'speech',
      stt: 'transcription',
      music: 'music',
      '3d': '3D',
      embedding: 'embedding',
      rerank: 'rerank',
      translation: 'translation',
    },
  },
  zh: {
    filter: '筛选模型',
    all: '全选',
    none: '全不选',
    chosen: (count, all) => `已选 ${count}/${all}`,
    nothing: '没有匹配的模型。',
    more: (count) => `还有 ${count} 个：输入文字缩小范围`,
    unpriced: '无价格',
    categories: {
      chat: '聊天',
      image: '图像',
      video: '视频',
      audio: '音频',
      tts: '语音合成',
      stt: '语音转写',
      music: '音乐',
      '3d': '3D',
      embedding: '向量',
      rerank: '重排',
      translation: '翻译',
    },
  },
});
