#include "lab/transports/provider.h"

#include "lab/core/failure.h"

namespace firstlight {

void TransportProvider::refuse_resource(const ResourcePlan& resource) {
  throw FailureError({ErrorClass::infrastructure, "no_transport",
                      "resource \"" + resource.name + "\" (" + resource.type + " at " + resource.address +
                          ") cannot be opened: there is no transport of that kind here",
                      resource.name, "", "", "use another address, or a build that has the transport"});
}

}  // namespace firstlight
