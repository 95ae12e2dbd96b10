#pragma once

#include "lab/core/vocabulary.h"
#include "lab/document/reader.h"

namespace firstlight {

/// A resource's parameters `<what>_file` and `<what>_env` name a credential; the credential itself, as `<what>`, must
/// not stand in a bench file. Tells it when it does, without the line that holds it.
/// @return true when it was told: then nothing else should be said of this resource, whose lines are not for showing
bool refuse_credentials(const Reader& reader, const Place& resource, const ResourceTypeSpec& type);

}  // namespace firstlight
