import { obtainBase, possibleBases } from "./image-base.js";
import { type BuildContext, localImage, madeImage } from "./image-engine.js";
import { readFacts } from "./image-facts.js";
import { type DockerImage, handsImageOf, labelsOf } from "./image-find.js";
import { imageLabels } from "./image-labels.js";
import { type Base, contextFiles, programsHash, recipeOn, toolsOn } from "./image-recipe.js";
import { buildOn, buildTools } from "./image-steps.js";

/** Builds and tags the hands image, whether or not there is one already. */
export async function buildImage(context: BuildContext): Promise<DockerImage> {
  const { base, imageId } = await toolsImage(context);
  const { tools } = await readFacts(imageId, context);
  const recipe = recipeOn(base);
  const labels = {
    [imageLabels.recipe]: recipe.id,
    [imageLabels.base]: base.shown,
    [imageLabels.programs]: programsHash(),
    [imageLabels.tools]: JSON.stringify(tools),
  };
  await buildOn(imageId, { files: contextFiles(), labels, tag: recipe.tag }, context);
  context.say(`${recipe.tag}: ${tools.join(", ")}`);
  return handsImageOf(await madeImage(recipe.tag, context), context);
}

async function toolsImage(context: BuildContext): Promise<{ base: Base; imageId: string }> {
  for (const base of possibleBases(context.settings)) {
    const here = await existingTools(base, context);
    if (here) return { base, imageId: here };
  }
  const { base, imageId } = await obtainBase(context);
  const here = await existingTools(base, context);
  if (here) return { base, imageId: here };
  const { id, tag } = toolsOn(base);
  context.say(`building the tools on ${base.shown}`);
  await buildTools(imageId, { files: contextFiles(), labels: { [imageLabels.layer]: id }, tag }, context);
  return { base, imageId: (await madeImage(tag, context)).Id };
}

async function existingTools(base: Base, context: BuildContext): Promise<string | null> {
  const { id, tag } = toolsOn(base);
  const image = await localImage(tag, context);
  return image && labelsOf(image)[imageLabels.layer] === id ? image.Id : null;
}
