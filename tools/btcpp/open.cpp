// Opens files with the parser of BehaviorTree.CPP, after registering the nodes that their TreeNodesModel describes.
// tools/btcpp/test.sh builds it. Ends with 1 if a file is refused, and says why.
#include <behaviortree_cpp/bt_factory.h>
#include <tinyxml2.h>

#include <fstream>
#include <iostream>
#include <sstream>

namespace
{
// Nodes that are never ticked: the parser looks at their type and their ports.
template <class Base>
struct Inert : Base
{
  using Base::Base;
  BT::NodeStatus tick() override { return BT::NodeStatus::SUCCESS; }
};

template <class Base>
void add(BT::BehaviorTreeFactory& factory, BT::NodeType type, const std::string& id, const BT::PortsList& ports)
{
  factory.registerBuilder({ type, id, ports, {} }, [](const std::string& name, const BT::NodeConfig& config) {
    return std::make_unique<Inert<Base>>(name, config);
  });
}

std::pair<std::string, BT::PortInfo> port(const tinyxml2::XMLElement& element)
{
  const std::string name = element.Attribute("name");
  const std::string type = element.Attribute("type");
  if(type == "int")
    return BT::InputPort<int>(name);
  if(type == "double")
    return BT::InputPort<double>(name);
  return BT::InputPort<std::string>(name);
}

void add_nodes(BT::BehaviorTreeFactory& factory, const std::string& xml)
{
  tinyxml2::XMLDocument document;
  document.Parse(xml.c_str());
  const auto* root = document.RootElement();
  const auto* model = root ? root->FirstChildElement("TreeNodesModel") : nullptr;
  if(!model)
    throw std::runtime_error("no TreeNodesModel");
  for(const auto* node = model->FirstChildElement(); node; node = node->NextSiblingElement())
  {
    BT::PortsList ports;
    for(const auto* child = node->FirstChildElement(); child; child = child->NextSiblingElement())
      ports.insert(port(*child));
    const std::string type = node->Name(), id = node->Attribute("ID");
    if(type == "Action")
      add<BT::SyncActionNode>(factory, BT::NodeType::ACTION, id, ports);
    else if(type == "Condition")
      add<BT::ConditionNode>(factory, BT::NodeType::CONDITION, id, ports);
    else if(type == "Decorator")
      add<BT::DecoratorNode>(factory, BT::NodeType::DECORATOR, id, ports);
    else if(type == "Control")
      add<BT::ControlNode>(factory, BT::NodeType::CONTROL, id, ports);
    else
      throw std::runtime_error("unknown type " + type + " of " + id);
  }
}
}  // namespace

int main(int argc, char** argv)
{
  int refused = 0;
  for(int i = 1; i < argc; i++)
  {
    try
    {
      std::ifstream file(argv[i]);
      std::stringstream xml;
      xml << file.rdbuf();
      BT::BehaviorTreeFactory factory;
      add_nodes(factory, xml.str());
      [[maybe_unused]] const BT::Tree tree = factory.createTreeFromText(xml.str());
    }
    catch(const std::exception& error)
    {
      std::cout << argv[i] << ": " << error.what() << '\n';
      refused++;
    }
  }
  std::cout << argc - 1 - refused << " files opened\n";
  return refused ? 1 : 0;
}
