// Loop functions for features that ARGoS lacks: the robots' cameras, the paint of the floor, and the score of the
// transport tasks.
#include "camera.hpp"
#include "controller.hpp"
#include "world.hpp"
#include <argos3/core/simulator/loop_functions.h>
#include <argos3/core/simulator/simulator.h>
#include <argos3/core/simulator/entity/controllable_entity.h>
#include <argos3/core/simulator/entity/embodied_entity.h>
#include <argos3/plugins/robots/e-puck/simulator/epuck_entity.h>
#include <argos3/plugins/simulator/entities/cylinder_entity.h>

using namespace argos;
using namespace xpuck;

class CXpuckLoop : public CLoopFunctions {
public:
    void Init(TConfigurationNode &t_node) override {
        GetNodeAttribute(t_node, "seed", seed);
        GetNodeAttribute(t_node, "run", run);
        for (auto &entry : GetSpace().GetEntitiesByType("e-puck")) robots.push_back(any_cast<CEPuckEntity *>(entry.second));
        for (size_t i = 0; i < DISCS.size(); ++i) {
            auto &entity = GetSpace().GetEntity("disc_" + ToString(i));
            discs.push_back(&dynamic_cast<CCylinderEntity &>(entity));
        }
        Reset();
    }

    void Reset() override {
        moved = 0.0, updates = 0, relocations = 0;
        counted_from = discs.empty() ? 0.0 : At(discs[0]->GetEmbodiedEntity()).GetX();
    }

    CColor GetFloorColor(const CVector2 &at) override {
        int shade = shade_at(at.GetX(), at.GetY(), PAINTS, FLOOR);
        return shade < 0 ? CColor::BLACK : shade > 0 ? CColor::WHITE : CColor::GRAY50;
    }

    void PreStep() override {
        std::vector<Circle> all;
        for (auto *robot : robots) all.push_back({At(robot->GetEmbodiedEntity()).GetX(), At(robot->GetEmbodiedEntity()).GetY(), 0.0375, 0});
        for (size_t i = 0; i < discs.size(); ++i) {
            const CVector3 &at = At(discs[i]->GetEmbodiedEntity());
            all.push_back({at.GetX(), at.GetY(), DISCS[i].radius, DISCS[i].colour});
        }
        for (size_t i = 0; i < robots.size(); ++i) {
            std::vector<Circle> others = all;
            others.erase(others.begin() + long(i));
            CRadians heading, pitch, roll;
            robots[i]->GetEmbodiedEntity().GetOriginAnchor().Orientation.ToEulerAngles(heading, pitch, roll);
            auto &controller = dynamic_cast<CXpuckController &>(robots[i]->GetControllableEntity().GetController());
            see(all[i].x, all[i].y, heading.GetValue(), others, WALLS, PATCHES, HALF_LENGTH, HALF_WIDTH, controller.seen);
        }
    }

    void PostStep() override {
        ++updates;
        if (!RELOCATES || discs.empty() || std::fabs(X()) + DISCS[0].radius < HALF_LENGTH - 0.001) return;
        moved += X() - counted_from;
        // ARGoS rejects a position that is occupied.
        Draws draws(seed, run, 0, updates, Draws::RELOCATION);
        for (int i = 0; i < 32; ++i) {
            CVector3 spot(draws.range(-0.07f, 0.07f), draws.range(-0.07f, 0.07f), 0.0);
            if (MoveEntity(discs[0]->GetEmbodiedEntity(), spot, CQuaternion())) break;
        }
        counted_from = X();
        ++relocations;
    }

    void PostExperiment() override {
        double seconds = updates * CPhysicsEngine::GetSimulationClockTick(), fitness = std::nan("");
        if (!discs.empty() && (TASK == "transport" || TASK == "transport-once"))
            fitness = -(moved + X() - counted_from) / (seconds * 0.13);
        if (!discs.empty() && TASK == "transport-position")
            fitness = std::max(-X(), 0.0) / (HALF_LENGTH - DISCS[0].radius);
        LOG << "xpuck task=" << TASK << " run=" << run << " seconds=" << seconds << " relocations=" << relocations
            << " fitness=" << fitness << std::endl;
        LOG.Flush();
    }

private:
    UInt64 seed = 1;
    UInt32 run = 0, updates = 0, relocations = 0;
    double moved = 0.0, counted_from = 0.0;
    std::vector<CEPuckEntity *> robots;
    std::vector<CCylinderEntity *> discs;

    static const CVector3 &At(CEmbodiedEntity &body) { return body.GetOriginAnchor().Position; }
    double X() { return At(discs[0]->GetEmbodiedEntity()).GetX(); }
};

REGISTER_LOOP_FUNCTIONS(CXpuckLoop, "xpuck_loop")
